// JSON and binary blocks of the page. In: text and numbers as users have them. Out: text that may
// stand inside a <script> element of data, whatever it holds.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm::detail {

/// A JSON string with its quotes. '<', '>', '&' and the line separators U+2028 and U+2029 are
/// written as \u escapes, so that no text can end the element or begin another; bytes that are not
/// UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// A JSON number; null where it is not finite.
std::string json_number(double value);
std::string json_numbers(std::span<const double> values);
/// JSON text made safe in the same way. It must be valid JSON: strings in it are only rewritten.
std::string json_in_script(std::string_view json);

/// Deflated, then in base64: letters, digits, '+', '/' and '='.
std::string packed(std::span<const std::uint8_t> bytes);

/// Blocks of the page: each becomes an element with its number; the head of the page names them.
class PageBlocks {
 public:
  /// Little-endian, as every browser's typed arrays read them. `type` is u8, u16, u32 or f32.
  template <class T>
  std::string add(const std::vector<T>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return add_bytes(bytes, type_of(values), values.size());
  }
  /// UTF-8, joined by line feeds (which a name does not keep).
  std::string add_lines(std::span<const std::string> lines);
  /// All blocks as elements, each on its own line.
  const std::string& elements() const { return elements_; }

 private:
  static std::string_view type_of(const std::vector<std::uint8_t>&) { return "u8"; }
  static std::string_view type_of(const std::vector<std::uint16_t>&) { return "u16"; }
  static std::string_view type_of(const std::vector<std::uint32_t>&) { return "u32"; }
  static std::string_view type_of(const std::vector<float>&) { return "f32"; }
  std::string add_bytes(std::span<const std::uint8_t> bytes, std::string_view type,
                        std::size_t length);

  std::string elements_;
  std::size_t n_blocks_ = 0;
};

}  // namespace geotherm::detail
