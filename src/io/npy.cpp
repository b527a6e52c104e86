// The values of .npy files: every simple type in both byte orders and layouts, converted piece by
// piece, so that memory holds the result and a small buffer.
#include "io/npy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/large_pages.hpp"
#include "core/utf8.hpp"

namespace geotherm::detail {
namespace {

constexpr bool kHostIsBigEndian = std::endian::native == std::endian::big;

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1Fu;
  const std::uint32_t mantissa = half & 0x3FFu;
  if (exponent == 0) {  // zero and subnormal: mantissa * 2^-24, exact in a float
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide = exponent == 0x1F ? 0xFFu : exponent + 112;
  return std::bit_cast<float>(sign | (wide << 23) | (mantissa << 13));
}

template <class T>
T load(const unsigned char* bytes, bool swap) {
  unsigned char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swap) std::reverse(copy, copy + sizeof(T));
  T value;
  std::memcpy(&value, copy, sizeof(T));
  return value;
}

template <class In, class Out>
void convert_as(const unsigned char* in, std::size_t n, bool swap, Out* out) {
  // One byte with a sign is a number here, not a letter.
  // NOLINTBEGIN(bugprone-signed-char-misuse)
  if (swap) {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<Out>(load<In>(in + i * sizeof(In), true));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<Out>(load<In>(in + i * sizeof(In), false));
    }
  }
  // NOLINTEND(bugprone-signed-char-misuse)
}

// `n` items of the header's type; Out is double, float or int64, each able to hold what it is
// asked for except a uint64 beyond int64, which is refused.
template <class Out>
void convert(const NpyHeader& header, const std::string& where, const unsigned char* in,
             std::size_t n, Out* out) {
  const bool swap = header.is_big_endian != kHostIsBigEndian;
  const auto type = static_cast<std::size_t>(header.kind) * 16 + header.item_size;
  switch (type) {
    case 'b' * 16 + 1:
      for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Out>(in[i] != 0 ? 1 : 0);
      return;
    case 'i' * 16 + 1:
      return convert_as<std::int8_t>(in, n, swap, out);
    case 'i' * 16 + 2:
      return convert_as<std::int16_t>(in, n, swap, out);
    case 'i' * 16 + 4:
      return convert_as<std::int32_t>(in, n, swap, out);
    case 'i' * 16 + 8:
      return convert_as<std::int64_t>(in, n, swap, out);
    case 'u' * 16 + 1:
      return convert_as<std::uint8_t>(in, n, swap, out);
    case 'u' * 16 + 2:
      return convert_as<std::uint16_t>(in, n, swap, out);
    case 'u' * 16 + 4:
      return convert_as<std::uint32_t>(in, n, swap, out);
    case 'u' * 16 + 8:
      convert_as<std::uint64_t>(in, n, swap, out);
      if constexpr (std::is_same_v<Out, std::int64_t>) {
        if (std::any_of(out, out + n, [](std::int64_t value) { return value < 0; })) {
          throw IoError(where +
                        ": holds unsigned integers above 9,223,372,036,854,775,807"
                        " (save it as float64)");
        }
      }
      return;
    case 'f' * 16 + 2:
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<Out>(half_to_float(load<std::uint16_t>(in + 2 * i, swap)));
      }
      return;
    case 'f' * 16 + 4:
      return convert_as<float>(in, n, swap, out);
    default:
      return convert_as<double>(in, n, swap, out);
  }
}

// Where the items of a Fortran-ordered array belong in C order, one after the other.
class FortranOrder {
 public:
  explicit FortranOrder(const std::vector<std::size_t>& shape)
      : shape_(shape), index_(shape.size(), 0), strides_(shape.size(), 1) {
    for (std::size_t d = shape.size(); d-- > 1;) strides_[d - 1] = strides_[d] * shape[d];
  }
  std::size_t next() {
    const std::size_t place = place_;
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      place_ += strides_[d];
      if (++index_[d] < shape_[d]) break;
      place_ -= strides_[d] * shape_[d];
      index_[d] = 0;
    }
    return place;
  }

 private:
  const std::vector<std::size_t>& shape_;
  std::vector<std::size_t> index_;
  std::vector<std::size_t> strides_;
  std::size_t place_ = 0;
};

// The number of items, after holding the header's claim against the bytes that are there.
std::size_t checked_count(const NpyHeader& header, const ByteSource& source) {
  std::size_t count = 1, bytes = header.item_size;
  bool fits = true;
  // A zero anywhere makes the product zero; only then may the other extents be anything.
  if (std::find(header.shape.begin(), header.shape.end(), 0u) != header.shape.end()) {
    count = bytes = 0;
  } else {
    for (const std::size_t extent : header.shape) {
      fits = fits && extent <= std::numeric_limits<std::size_t>::max() / std::max(count, bytes);
      if (fits) count *= extent, bytes *= extent;
    }
  }
  const std::size_t there = source.size() - header.n_bytes;
  if (!fits || bytes != there) {
    const bool is_longer = fits && bytes < there;
    throw IoError(source.where() + ": the header announces " +
                  (fits ? with_commas(bytes) : std::string("far too many")) + " bytes of data (" +
                  type_in_words(header) + ", " + shape_in_words(header.shape) +
                  "), but the file holds " + with_commas(there) +
                  (is_longer ? " (damaged, or several arrays in one file: save each in its own)"
                             : " (truncated or damaged: copy or save it again)"));
  }
  if (header.item_size == 0 && count > 0) {
    throw IoError(source.where() + ": its items have no size (" + header.dtype + ")");
  }
  return count;
}

// Reads `count` items piece by piece and hands each piece's bytes on.
template <class Use>
void in_pieces(std::size_t count, std::size_t item_size, ByteSource& source, Use use) {
  const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 16) / item_size);
  std::vector<unsigned char> buffer(std::min(count, most) * item_size);
  for (std::size_t done = 0; done < count;) {
    const std::size_t n = std::min(most, count - done);
    source.read(buffer.data(), n * item_size);
    use(buffer.data(), n, done);
    done += n;
  }
}

template <class Out>
void read_numbers(const NpyHeader& header, ByteSource& source, std::size_t count, Out* out) {
  const bool is_native = header.kind == (std::is_floating_point_v<Out> ? 'f' : 'i') &&
                         header.item_size == sizeof(Out) &&
                         header.is_big_endian == kHostIsBigEndian;
  const bool in_order = !header.is_fortran || header.shape.size() < 2;
  if (is_native && in_order) {
    source.read(out, count * sizeof(Out));
  } else if (in_order) {
    in_pieces(count, header.item_size, source,
              [&](const unsigned char* bytes, std::size_t n, std::size_t first) {
                convert(header, source.where(), bytes, n, out + first);
              });
  } else {
    FortranOrder order(header.shape);
    std::vector<Out> piece;
    in_pieces(count, header.item_size, source,
              [&](const unsigned char* bytes, std::size_t n, std::size_t) {
                piece.resize(n);
                convert(header, source.where(), bytes, n, piece.data());
                for (const Out value : piece) out[order.next()] = value;
              });
  }
}

std::string text_of(const NpyHeader& header, const unsigned char* bytes) {
  std::string text;
  if (header.kind == 'S') {
    text.assign(reinterpret_cast<const char*>(bytes), header.item_size);
    text.erase(text.find_last_not_of('\0') + 1);
    return text;
  }
  const bool swap = header.is_big_endian != kHostIsBigEndian;
  std::size_t n = header.item_size / 4;
  while (n > 0 && load<std::uint32_t>(bytes + 4 * (n - 1), swap) == 0) --n;
  for (std::size_t i = 0; i < n; ++i) append_utf8(text, load<std::uint32_t>(bytes + 4 * i, swap));
  return text;
}

void refuse_unreadable(const NpyHeader& header, const std::string& where) {
  if (header.kind == 'O') {
    throw IoError(where +
                  ": holds Python objects, which are not read (save it again without"
                  " objects: array.astype(str) or array.astype(float))");
  }
  if (header.kind == 'c') {
    throw IoError(where + ": holds complex numbers (save their real parts or absolute values)");
  }
  if (!header.is_numeric() && !header.is_text()) {
    throw IoError(where + ": holds values of type " + header.dtype +
                  ", which is not supported (save it as float64, float32, an integer type, bool"
                  " or text)");
  }
}

}  // namespace

std::pair<std::size_t, std::size_t> npy_matrix_shape(const NpyHeader& header,
                                                     const ByteSource& source) {
  const std::string& where = source.where();
  refuse_unreadable(header, where);
  if (header.is_text()) throw IoError(where + ": holds text where numbers are needed");
  if (header.shape.empty() || header.shape.size() > 2) {
    throw IoError(where + ": is an array of " + std::to_string(header.shape.size()) +
                  " dimensions (" + shape_in_words(header.shape) +
                  "); a table has 2, one row per point (reshape it)");
  }
  if (checked_count(header, source) == 0) {
    throw IoError(where + ": holds no values (" + shape_in_words(header.shape) + ")");
  }
  return {header.shape[0], header.shape.size() == 2 ? header.shape[1] : 1};
}

void read_npy_values(const NpyHeader& header, ByteSource& source, std::size_t n, double* out) {
  NpyHeader piece = header;
  piece.shape = {n};
  read_numbers(piece, source, n, out);
}

void read_npy_matrix(const NpyHeader& header, ByteSource& source, Table& table) {
  const auto [rows, cols] = npy_matrix_shape(header, source);
  const std::size_t count = rows * cols;
  if (header.is_single()) {
    auto values = Matrix<float>::uninitialized(rows, cols);
    ask_for_large_pages(values);
    read_numbers(header, source, count, values.data());
    table.values = std::move(values);
  } else {
    auto values = Matrix<double>::uninitialized(rows, cols);
    ask_for_large_pages(values);
    read_numbers(header, source, count, values.data());
    table.values = std::move(values);
  }
}

NamedArray read_npy_array(const NpyHeader& header, ByteSource& source, const std::string& name) {
  refuse_unreadable(header, source.where());
  const std::size_t count = checked_count(header, source);
  NamedArray array = {.name = name, .shape = header.shape, .values = {}};
  if (header.is_text()) {
    auto& values = array.values.emplace<std::vector<std::string>>(count);
    FortranOrder order(header.shape);
    in_pieces(count, std::max<std::size_t>(1, header.item_size), source,
              [&](const unsigned char* bytes, std::size_t n, std::size_t first) {
                for (std::size_t i = 0; i < n; ++i) {
                  const std::size_t place = header.is_fortran ? order.next() : first + i;
                  values[place] = text_of(header, bytes + i * header.item_size);
                }
              });
  } else if (header.is_single()) {
    auto& values = array.values.emplace<std::vector<float>>(count);
    read_numbers(header, source, count, values.data());
  } else if (header.kind == 'f') {
    auto& values = array.values.emplace<std::vector<double>>(count);
    read_numbers(header, source, count, values.data());
  } else {
    auto& values = array.values.emplace<std::vector<std::int64_t>>(count);
    read_numbers(header, source, count, values.data());
  }
  return array;
}

}  // namespace geotherm::detail
