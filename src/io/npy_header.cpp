// The header of .npy files: a Python dictionary written as text, read here by a small parser that
// knows strings, booleans, integers and tuples, and nothing that could be run.
#include <array>
#include <charconv>
#include <optional>

#include "io/npy.hpp"

namespace geotherm::detail {
namespace {

// numpy's own are below 10 kB; more is taken for damage.
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kMostDimensions = 64;

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_descr_) {
        descr();
      } else if (key == "fortran_order" && !has_order_) {
        header_.is_fortran = boolean();
        has_order_ = true;
      } else if (key == "shape" && !has_shape_) {
        shape();
      } else {
        fail("unexpected key '" + key + "'");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (at_ != text_.size()) fail("there is text after the closing brace");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("one of the keys descr, fortran_order and shape is missing");
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(where_ + ": its NPY header cannot be understood: " + what +
                  " (is the file complete? save it again with numpy.save)");
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(std::string("a '") + c + "' is missing");
  }
  bool accept_word(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string string() {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("a quoted word is missing");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quoted word does not end");
    std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }

  bool boolean() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) fail("fortran_order is neither True nor False");
    return false;
  }

  void shape() {
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::size_t extent = 0;
      const char* end = text_.data() + text_.size();
      const auto [next, error] = std::from_chars(text_.data() + at_, end, extent);
      if (error != std::errc{}) fail("the shape holds something else than sizes");
      at_ = static_cast<std::size_t>(next - text_.data());
      accept('L');  // Python 2 wrote long integers so
      if (header_.shape.size() == kMostDimensions) fail("the shape has too many dimensions");
      header_.shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    has_shape_ = true;
  }

  void descr() {
    has_descr_ = true;
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      skip_list();
      return;
    }
    header_.dtype = string();
    const std::string_view dtype = header_.dtype;
    std::size_t at = 0;
    if (!dtype.empty() && std::string_view("<>|=").find(dtype[0]) != std::string_view::npos) {
      header_.is_big_endian = dtype[0] == '>';
      at = 1;
    }
    if (at == dtype.size()) fail("the type is empty");
    const char kind = dtype[at];
    std::size_t size = 0;
    const char* end = dtype.data() + dtype.size();
    const auto [next, error] = std::from_chars(dtype.data() + at + 1, end, size);
    if (kind == 'O' && at + 1 == dtype.size()) {
      header_.kind = 'O';
    } else if (error == std::errc{} && next == end && size < (std::size_t{1} << 40)) {
      header_.kind = kind;
      header_.item_size = kind == 'U' ? 4 * size : size;
    }
  }

  // A structured type: kept as its text, since its values are not read.
  void skip_list() {
    const std::size_t start = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        string();
        --at_;
      } else if (c == '[' || c == '(') {
        ++depth;
      } else if ((c == ']' || c == ')') && --depth == 0) {
        header_.dtype = std::string(text_.substr(start, ++at_ - start));
        return;
      }
    }
    fail("the list of fields does not end");
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

bool NpyHeader::is_numeric() const {
  switch (kind) {
    case 'b':
      return item_size == 1;
    case 'i':
    case 'u':
      return item_size == 1 || item_size == 2 || item_size == 4 || item_size == 8;
    case 'f':
      return item_size == 2 || item_size == 4 || item_size == 8;
    default:
      return false;
  }
}

NpyHeader read_npy_header(ByteSource& source) {
  const std::string& where = source.where();
  std::array<unsigned char, 12> start = {};
  if (source.size() < 10) {
    throw IoError(where +
                  (source.size() == 0
                       ? ": the file is empty"
                       : ": is no NPY file: it has only " + with_commas(source.size()) + " bytes") +
                  " (is the file complete?)");
  }
  source.read(start.data(), 8);
  if (std::string_view(reinterpret_cast<const char*>(start.data()), 6) != "\x93NUMPY") {
    throw IoError(where +
                  ": is no NPY file: it does not start with the mark of one"
                  " (save it with numpy.save)");
  }
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0) {
    throw IoError(where + ": is an NPY file of version " + std::to_string(major) + "." +
                  std::to_string(minor) + "; supported are 1.0, 2.0 and 3.0");
  }
  const std::size_t n_length = major == 1 ? 2 : 4;
  if (source.size() < 8 + n_length) throw IoError(where + ": its NPY header breaks off");
  source.read(start.data() + 8, n_length);
  std::size_t length = 0;
  for (std::size_t i = 0; i < n_length; ++i) length |= std::size_t{start[8 + i]} << (8 * i);
  if (length > source.size() - 8 - n_length || length > kLongestHeader) {
    throw IoError(where + ": its NPY header announces " + with_commas(length) +
                  " bytes, but the file has " + with_commas(source.size()) +
                  " in all (is the file complete?)");
  }
  std::string text(length, '\0');
  source.read(text.data(), length);
  NpyHeader header = HeaderParser(text, where).parse();
  header.n_bytes = 8 + n_length + length;
  return header;
}

std::string type_in_words(const NpyHeader& header) {
  const std::string bits = std::to_string(8 * header.item_size);
  switch (header.kind) {
    case 'b':
      return "bool";
    case 'i':
      return "int" + bits;
    case 'u':
      return "uint" + bits;
    case 'f':
      return "float" + bits;
    case 'c':
      return "complex" + bits;
    case 'S':
    case 'U':
      return "text";
    case 'O':
      return "objects";
    default:
      return header.dtype;
  }
}

std::string shape_in_words(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return "one value";
  std::string words;
  for (const std::size_t extent : shape) {
    if (!words.empty()) words += " x ";
    words += std::to_string(extent);
  }
  return words;
}

std::string npy_header_bytes(std::string_view dtype, const std::vector<std::size_t>& shape) {
  std::string text = "{'descr': '" + std::string(dtype) + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(shape[i]);
    if (i + 1 < shape.size() || shape.size() == 1) text += ',';
  }
  text += "), }";
  constexpr std::size_t kPrefix = 10;
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

void write_npy_matrix(MatrixView<const double> values,
                      const std::function<void(std::string_view)>& sink) {
  const auto write = [&](const double* data, std::size_t n) {
    sink({reinterpret_cast<const char*>(data), n * sizeof(double)});
  };
  sink(npy_header_bytes("<f8", {values.rows, values.cols}));
  if (values.stride == values.cols) {
    write(values.data, values.rows * values.cols);
  } else {
    for (std::size_t i = 0; i < values.rows; ++i) write(values.row(i).data(), values.cols);
  }
}

}  // namespace geotherm::detail
