// State of a run <-> bytes, and the three things that stages do with a Checkpoint: take up what was
// kept, keep what has come about, or have a whole stage made once.
//
// A type says what it consists of in one function for both ways,
//   template <class Archive> void fields(Archive& a, Thing& t) { put(a, t.size, t.values); }
// found by argument-dependent lookup. Numbers are stored as they lie in memory: a state belongs to
// the kind of machine that wrote it.
#pragma once

#include <concepts>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Collects a state as pieces. Large arrays are not copied: they have to live until the pieces have
/// been used.
class StateWriter {
 public:
  static constexpr bool is_reading = false;
  void bytes(const void* data, std::size_t n);
  std::vector<std::span<const char>> pieces() const;
  std::size_t n_bytes() const { return n_bytes_; }

 private:
  struct Piece {
    std::string own;
    std::span<const char> borrowed;
  };
  std::deque<Piece> pieces_;
  std::size_t n_bytes_ = 0;
};

/// Throws IoError where the bytes end before the state does.
class StateReader {
 public:
  static constexpr bool is_reading = true;
  explicit StateReader(Checkpoint::Source& source) : source_(source) {}
  void bytes(void* data, std::size_t n) { source_.read(data, n); }
  /// Refuses counts that what is left cannot hold, before anything of that size is allocated.
  void require_left(std::size_t count, std::size_t bytes_each) const;
  void require_end() const;

 private:
  Checkpoint::Source& source_;
};

template <class Archive, class... T>
void put(Archive& a, T&... values);

template <class Archive, Plain T>
void fields(Archive& a, T& value) {
  a.bytes(&value, sizeof value);
}

template <class Archive>
std::size_t count(Archive& a, std::size_t n, std::size_t bytes_each) {
  fields(a, n);
  if constexpr (Archive::is_reading) a.require_left(n, bytes_each);
  return n;
}

template <class Archive>
void fields(Archive& a, std::string& text) {
  const std::size_t n = count(a, text.size(), 1);
  if constexpr (Archive::is_reading) text.resize(n);
  a.bytes(text.data(), n);
}

template <class Archive, class T>
void fields(Archive& a, std::vector<T>& values) {
  const std::size_t n = count(a, values.size(), 1);
  if constexpr (std::is_trivially_copyable_v<T>) {
    if constexpr (Archive::is_reading) {
      a.require_left(n, sizeof(T));
      values.resize(n);
    }
    a.bytes(values.data(), n * sizeof(T));
  } else {
    if constexpr (Archive::is_reading) values.resize(n);
    for (T& value : values) put(a, value);
  }
}

template <class Archive, class T>
void fields(Archive& a, Matrix<T>& m) {
  const bool is_whole = m.size() == m.rows() * m.cols();  // not moved away
  std::size_t rows = is_whole ? m.rows() : 0, cols = is_whole ? m.cols() : 0;
  put(a, rows, cols);
  if constexpr (Archive::is_reading) {
    if (rows > 0) a.require_left(cols, sizeof(T));  // first, so that the next product is small
    if (cols > 0) a.require_left(rows, cols * sizeof(T));
    m = Matrix<T>::uninitialized(rows, cols);
  }
  a.bytes(m.data(), m.size() * sizeof(T));
}

template <class Archive>
void fields(Archive& a, SparseMatrix& m) {
  put(a, m.rows, m.cols, m.offsets, m.indices, m.values);
}

template <class Archive, class T>
void fields(Archive& a, std::optional<T>& value) {
  bool is_there = value.has_value();
  fields(a, is_there);
  if constexpr (Archive::is_reading) {
    value.reset();
    if (is_there) value.emplace();
  }
  if (is_there) put(a, *value);
}

template <class Archive, class... T>
void fields(Archive& a, std::variant<T...>& value) {
  std::size_t which = value.index();
  fields(a, which);
  if constexpr (Archive::is_reading) {
    std::size_t at = 0;
    static_cast<void>(((at++ == which ? (value = T{}, true) : false) || ...));
  }
  std::visit([&](auto& v) { put(a, v); }, value);
}

template <class Archive, class... T>
void fields(Archive& a, std::tuple<T&...>& together) {
  std::apply([&](T&... parts) { put(a, parts...); }, together);
}

template <class Archive, class T>
void fields(Archive& a, std::map<std::string, T>& values) {
  std::size_t n = count(a, values.size(), 1);
  if constexpr (Archive::is_reading) {
    values.clear();
    for (; n > 0; --n) {
      std::string name;
      put(a, name);
      put(a, values[name]);
    }
  } else {
    for (auto& [name, value] : values) {
      std::string copy = name;
      put(a, copy, value);
    }
  }
}

template <class Archive, class... T>
void put(Archive& a, T&... values) {
  (fields(a, values), ...);
}

/// A state as one string, and back: for the classes that hand theirs out.
template <class State>
std::string state_as_bytes(State state) {
  StateWriter writer;
  put(writer, state);
  std::string all;
  for (const auto piece : writer.pieces()) all.append(piece.data(), piece.size());
  return all;
}
class StringSource final : public Checkpoint::Source {
 public:
  explicit StringSource(std::string_view bytes) : left_(bytes) {}
  void read(void* to, std::size_t n_bytes) override;
  std::size_t n_left() const override { return left_.size(); }

 private:
  std::string_view left_;
};
template <class State>
void state_from_bytes(std::string_view bytes, State& state) {
  StringSource source(bytes);
  StateReader reader(source);
  put(reader, state);
  reader.require_end();
}

/// Takes up what was kept for the stage. False, and the state unchanged or half set, where there is
/// nothing to take up.
template <class State>
bool take_up(const Context& context, std::string_view stage, State& state) {
  if (context.checkpoint == nullptr) return false;
  const auto source = context.checkpoint->load(stage);
  if (!source) return false;
  try {
    StateReader reader(*source);
    put(reader, state);
    reader.require_end();
  } catch (const IoError& e) {
    context.warn("checkpoint: stage '" + std::string(stage) + "' is done again: " + e.what());
    return false;
  }
  return true;
}

enum class When { if_due, at_once };
template <class State>
void keep(const Context& context, std::string_view stage, State& state, When when = When::if_due) {
  if (context.checkpoint == nullptr) return;
  StateWriter writer;
  put(writer, state);
  if (when == When::if_due && !context.checkpoint->is_due(writer.n_bytes())) return;
  const auto pieces = writer.pieces();
  context.checkpoint->save(stage, pieces);
}

/// make(context), or what an earlier run kept of it, with the warnings that belong to it.
template <class State, class Make>
State made_once(const Context& context, std::string_view stage, const Make& make) {
  if (context.checkpoint == nullptr) return make(context);
  State state;
  std::vector<std::string> warnings;
  auto both = std::tie(state, warnings);
  if (take_up(context, stage, both)) {
    for (const std::string& warning : warnings) context.warn(warning);
    return state;
  }
  warnings.clear();
  Context listening = context;
  listening.on_log = [&](LogLevel level, std::string_view message) {
    if (level == LogLevel::warning) warnings.emplace_back(message);
    if (context.on_log) context.on_log(level, message);
  };
  state = make(listening);
  keep(context, stage, both);
  return state;
}

}  // namespace geotherm::detail
