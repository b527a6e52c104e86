#include "core/state.hpp"

#include <cstring>

namespace geotherm::detail {
namespace {

constexpr std::size_t least_borrowed = 4096;

}  // namespace

void StateWriter::bytes(const void* data, std::size_t n) {
  n_bytes_ += n;
  const char* begin = static_cast<const char*>(data);
  if (n >= least_borrowed) {
    pieces_.push_back({{}, {begin, n}});
    return;
  }
  if (pieces_.empty() || !pieces_.back().borrowed.empty()) pieces_.emplace_back();
  if (n > 0) pieces_.back().own.append(begin, n);
}

std::vector<std::span<const char>> StateWriter::pieces() const {
  std::vector<std::span<const char>> all;
  for (const Piece& piece : pieces_) {
    all.push_back(piece.borrowed.empty() ? std::span<const char>(piece.own) : piece.borrowed);
  }
  return all;
}

void StateReader::require_left(std::size_t n, std::size_t bytes_each) const {
  if (bytes_each > 0 && n > source_.n_left() / bytes_each) {
    throw IoError("it names more entries than it holds");
  }
}

void StateReader::require_end() const {
  if (source_.n_left() > 0) throw IoError("it holds more than its stage asks for");
}

void StringSource::read(void* to, std::size_t n_bytes) {
  if (n_bytes > left_.size()) throw IoError("the state ends too early");
  if (n_bytes > 0) std::memcpy(to, left_.data(), n_bytes);
  left_.remove_prefix(n_bytes);
}

}  // namespace geotherm::detail
