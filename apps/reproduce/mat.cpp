// MATLAB's .mat files of versions 5 to 7. In: a path and the name of a variable. Out: that real,
// full, numeric array in C order. Version 7.3 is an HDF5 file of another kind and is refused in
// words. What the file claims about sizes is believed only as far as its bytes go.
#include "mat.hpp"

#include <cmath>
#include <cstring>
#include <optional>

#include "io/gzip.hpp"

namespace geotherm {
namespace detail {
namespace {

enum Type : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float32 = 7,
  float64 = 9,
  int64 = 12,
  uint64 = 13,
  matrix = 14,
  compressed = 15
};

struct Element {
  std::uint32_t type = 0;
  std::span<const char> content = {};
};

/// Walks through elements: a tag (type and size), the content, padding to eight bytes; or both in
/// one word where the content has at most four.
class Elements {
 public:
  Elements(std::span<const char> bytes, std::string where)
      : bytes_(bytes), where_(std::move(where)) {}

  std::optional<Element> next() {
    if (at_ == bytes_.size()) return std::nullopt;
    const std::uint32_t first = word();
    if (first >> 16 != 0) {  // small: the size stands in the upper half
      const std::size_t size = first >> 16;
      if (size > 4) fail();
      const Element small = {first & 0xFFFFu, piece(4).subspan(0, size)};
      return small;
    }
    const std::size_t size = word();
    const Element element = {first, piece(size)};
    // Compressed elements follow each other without padding.
    if (first != compressed) at_ = std::min(bytes_.size(), at_ + (8 - size % 8) % 8);
    return element;
  }
  Element need() {
    auto element = next();
    if (!element) fail();
    return *element;
  }
  [[noreturn]] void fail() const {
    throw IoError(where_ + ": the .mat file is damaged or cut short");
  }

 private:
  std::span<const char> piece(std::size_t n) {
    if (bytes_.size() - at_ < n) fail();
    const auto part = bytes_.subspan(at_, n);
    at_ += n;
    return part;
  }
  std::uint32_t word() {
    std::uint32_t value = 0;
    std::memcpy(&value, piece(4).data(), 4);
    return value;
  }

  std::span<const char> bytes_;
  std::size_t at_ = 0;
  std::string where_;
};

template <class T>
bool append_as(std::span<const char> bytes, std::vector<double>& out) {
  if (bytes.size() % sizeof(T) != 0) return false;
  out.reserve(bytes.size() / sizeof(T));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    out.push_back(static_cast<double>(value));
  }
  return true;
}

/// Numbers of any type as doubles; false where the type is none of numbers.
bool read_numbers(const Element& element, std::vector<double>& out) {
  switch (element.type) {
    case int8:
      return append_as<std::int8_t>(element.content, out);
    case uint8:
      return append_as<std::uint8_t>(element.content, out);
    case int16:
      return append_as<std::int16_t>(element.content, out);
    case uint16:
      return append_as<std::uint16_t>(element.content, out);
    case int32:
      return append_as<std::int32_t>(element.content, out);
    case uint32:
      return append_as<std::uint32_t>(element.content, out);
    case int64:
      return append_as<std::int64_t>(element.content, out);
    case uint64:
      return append_as<std::uint64_t>(element.content, out);
    case float32:
      return append_as<float>(element.content, out);
    case float64:
      return append_as<double>(element.content, out);
    default:
      return false;
  }
}

/// The array where the matrix has this name; its name is appended to `seen` otherwise.
std::optional<NamedArray> array_named(const std::string& name, std::span<const char> content,
                                      const std::string& where, std::string& seen) {
  Elements parts(content, where);
  const Element flags = parts.need(), dimensions = parts.need(), title = parts.need();
  const std::string found(title.content.begin(), title.content.end());
  if (found != name) {
    seen += (seen.empty() ? "" : ", ") + found;
    return std::nullopt;
  }
  // The class of the array: 6 to 15 are full numeric arrays; bit 3 of the flags says complex.
  const int kind = flags.content.size() < 2 ? 0 : static_cast<unsigned char>(flags.content[0]);
  const bool is_complex = kind != 0 && (static_cast<unsigned char>(flags.content[1]) & 8) != 0;
  if (kind < 6 || kind > 15 || is_complex) {
    throw IoError(where + ": '" + name + "' is no full array of real numbers");
  }
  std::vector<double> sizes, values;
  const auto is_count = [](double size) { return size >= 0 && size == std::floor(size); };
  if (!read_numbers(dimensions, sizes) || sizes.size() != 2 || !is_count(sizes[0]) ||
      !is_count(sizes[1]) || !read_numbers(parts.need(), values) ||
      sizes[0] * sizes[1] != static_cast<double>(values.size())) {
    throw IoError(where + ": '" + name + "' has no numbers in rows and columns that fit");
  }
  if (values.empty()) throw IoError(where + ": '" + name + "' is empty");
  const auto rows = static_cast<std::size_t>(sizes[0]), cols = static_cast<std::size_t>(sizes[1]);
  std::vector<double> in_rows(values.size());  // MATLAB goes down the columns
  for (std::size_t j = 0; j < cols; ++j) {
    for (std::size_t i = 0; i < rows; ++i) in_rows[i * cols + j] = values[j * rows + i];
  }
  return NamedArray{name, {rows, cols}, std::move(in_rows)};
}

}  // namespace
}  // namespace detail

NamedArray read_mat_array(const std::string& path, const std::string& name) {
  using namespace detail;
  const Bytes bytes = read_whole_file(path);
  constexpr std::size_t header = 128;
  const std::string_view start(bytes.data(), std::min(bytes.size(), header));
  if (start.find("MATLAB 7.3") != std::string_view::npos || start.starts_with("\x89HDF")) {
    throw IoError(path + ": is of version 7.3; save it with '-v7', or as .npz");
  }
  // "IM": little-endian bytes; "MI" comes from machines of the other kind.
  if (bytes.size() < header || start.substr(header - 2) != "IM") {
    throw IoError(path + ": is no .mat file of versions 5 to 7");
  }
  std::string seen;
  Elements elements(std::span<const char>(bytes).subspan(header), path);
  while (const auto element = elements.next()) {
    std::optional<NamedArray> array;
    if (element->type == compressed) {
      const Bytes content = unpacked_bytes(element->content, path);
      const Element inner = Elements(content, path).need();
      if (inner.type == matrix) array = array_named(name, inner.content, path, seen);
    } else if (element->type == matrix) {
      array = array_named(name, element->content, path, seen);
    }
    if (array) return std::move(*array);
  }
  throw IoError(path + ": has no variable '" + name + "' (it has: " + seen + ")");
}

}  // namespace geotherm
