// MatrixMarket files, plain or .gz: `coordinate` (sparse) and `array` (dense), real, integer or
// pattern, general, symmetric or skew-symmetric. In: a path. Out: the matrix as it stands there.
#include "io/mtx.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "io/compressed.hpp"
#include "io/csv_cells.hpp"
#include "io/formats.hpp"
#include "io/gzip.hpp"

namespace geotherm::detail {
namespace {

struct Banner {
  bool is_sparse = false;
  bool is_pattern = false;
  bool is_symmetric = false;
  double mirror_sign = 1;  // of the entries that symmetry implies
};

class Parser {
 public:
  Parser(const Bytes& bytes, const std::string& path)
      : path_(path), at_(bytes.data()), end_(at_ + bytes.size()) {}

  std::string_view next_line() {
    const char* const begin = at_;
    while (at_ != end_ && *at_ != '\n') ++at_;
    const char* last = at_;
    if (at_ != end_) ++at_;
    ++line_;
    if (last != begin && last[-1] == '\r') --last;
    return {begin, last};
  }
  bool done() {
    skip_blank_lines();
    return at_ == end_;
  }
  void skip_blank_lines() {
    for (;;) {
      const char* p = at_;
      while (p != end_ && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
      if (p == end_) {
        at_ = end_;
        return;
      }
      if (*p == '%') {
        next_line();
        continue;
      }
      if (*p != '\n') return;
      at_ = p + 1;
      ++line_;
    }
  }
  std::size_t size_t_here(const char* what) {
    skip_spaces();
    std::size_t value = 0;
    const auto [next, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{}) fail(std::string("has no ") + what);
    at_ = next;
    return value;
  }
  // A row or column, counted from 1 in the file.
  Index index_here(std::size_t most, const char* what) {
    skip_spaces();
    std::size_t value = 0;
    const char* p = at_;
    for (; p != end_ && static_cast<unsigned>(*p - '0') < 10 && p - at_ < 11; ++p) {
      value = 10 * value + static_cast<unsigned>(*p - '0');
    }
    if (p == at_) fail(std::string("has no ") + what);
    if (value < 1 || value > most) {
      fail(std::string("names ") + what + " " + std::to_string(value) + " of " +
           std::to_string(most));
    }
    at_ = p;
    return static_cast<Index>(value - 1);
  }
  double number_here() {
    skip_spaces();
    double value = 0;
    const char* next = parse_short_number(at_, end_, value);
    if (next == nullptr) next = parse_number(at_, end_, value);
    if (next == nullptr) fail("has no number where one is due");
    at_ = next;
    return value;
  }
  void end_line() {
    skip_spaces();
    if (at_ != end_ && *at_ == '\r') ++at_;
    if (at_ == end_) return;
    if (*at_ != '\n') fail("has more on it than was announced");
    ++at_;
    ++line_;
  }
  std::size_t n_left() const { return static_cast<std::size_t>(end_ - at_); }
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(path_ + ", line " + std::to_string(line_) + ": " + what);
  }

 private:
  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  const std::string& path_;
  const char* at_;
  const char* end_;
  std::size_t line_ = 1;
};

Banner read_banner(Parser& parser, const std::string& path) {
  std::string line(parser.next_line());
  for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](std::string_view word) {
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at > 0 && line[at - 1] == ' ';
      if (begins && (end == line.size() || line[end] == ' ')) return true;
    }
    return false;
  };
  if (!line.starts_with("%%matrixmarket") || !has("matrix")) {
    throw IoError(path +
                  ": is no MatrixMarket file (its first line should begin with "
                  "'%%MatrixMarket matrix')");
  }
  Banner banner;
  banner.is_sparse = has("coordinate");
  if (!banner.is_sparse && !has("array")) parser.fail("says neither 'coordinate' nor 'array'");
  banner.is_pattern = has("pattern");
  if (has("complex") || has("hermitian")) parser.fail("complex numbers are not supported");
  banner.is_symmetric = has("symmetric") || has("skew-symmetric");
  banner.mirror_sign = has("skew-symmetric") ? -1 : 1;
  return banner;
}

SparseMatrix read_coordinates(Parser& parser, const Banner& banner, std::size_t rows,
                              std::size_t cols, bool is_turned, const std::string& path) {
  const std::size_t n = parser.size_t_here("number of entries");
  parser.end_line();
  require_plausible(rows, cols, parser.n_left(), path);
  // "1 1" and a line break: no entry is shorter.
  if (n > parser.n_left() / 4 + 1) {
    throw IoError(path + ": announces " + with_commas(n) + " entries, but is too short for them");
  }
  if (banner.is_symmetric && rows != cols) parser.fail("a symmetric matrix is square");
  const std::size_t n_most = banner.is_symmetric ? 2 * n : n;
  std::vector<Index> row_of, column_of;
  std::vector<double> values;
  row_of.reserve(n_most);
  column_of.reserve(n_most);
  values.reserve(n_most);
  const auto add = [&](Index i, Index j, double value) {
    row_of.push_back(is_turned ? j : i);
    column_of.push_back(is_turned ? i : j);
    values.push_back(value);
  };
  for (std::size_t k = 0; k < n; ++k) {
    if (parser.done())
      parser.fail("ends after " + with_commas(k) + " of " + with_commas(n) +
                  " entries: the file is cut short");
    const Index i = parser.index_here(rows, "row");
    const Index j = parser.index_here(cols, "column");
    const double value = banner.is_pattern ? 1 : parser.number_here();
    parser.end_line();
    add(i, j, value);
    if (banner.is_symmetric && i != j) add(j, i, banner.mirror_sign * value);
  }
  if (!parser.done()) parser.fail("goes on after the announced number of entries");

  // A counting sort by row keeps the file's order within a row.
  if (is_turned) std::swap(rows, cols);
  SparseMatrix matrix;
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.offsets.assign(rows + 1, 0);
  for (const Index i : row_of) ++matrix.offsets[static_cast<std::size_t>(i) + 1];
  std::partial_sum(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  std::vector<std::size_t> next(matrix.offsets.begin(), matrix.offsets.end() - 1);
  matrix.indices.resize(row_of.size());
  matrix.values.resize(row_of.size());
  for (std::size_t k = 0; k < row_of.size(); ++k) {
    const std::size_t place = next[static_cast<std::size_t>(row_of[k])]++;
    matrix.indices[place] = column_of[k];
    matrix.values[place] = values[k];
  }
  return checked_sparse(std::move(matrix), path);
}

Matrix<double> read_array(Parser& parser, const Banner& banner, std::size_t rows, std::size_t cols,
                          const std::string& path) {
  parser.end_line();
  if (banner.is_symmetric) parser.fail("symmetric arrays are not supported (write 'general')");
  // A digit and a line break a value.
  if (rows != 0 && cols > (parser.n_left() + 1) / 2 / rows) {
    throw IoError(path + ": announces " + with_commas(rows) + " x " + with_commas(cols) +
                  " values, but is too short for them");
  }
  // No values are no excuse for endless columns.
  require_plausible(rows, cols, parser.n_left(), path);
  Matrix<double> values(rows, cols);
  for (std::size_t j = 0; j < cols; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      if (parser.done()) parser.fail("the file is cut short");
      values(i, j) = parser.number_here();
      parser.end_line();
    }
  }
  if (!parser.done()) parser.fail("goes on after the announced number of values");
  return values;
}

}  // namespace

MtxContent read_mtx_content(const std::string& path, bool is_turned) {
  const Bytes bytes = read_unpacked_file(path);
  if (bytes.empty()) throw IoError(path + ": is empty");
  Parser parser(bytes, path);
  const Banner banner = read_banner(parser, path);
  parser.skip_blank_lines();
  const std::size_t rows = parser.size_t_here("number of rows");
  const std::size_t cols = parser.size_t_here("number of columns");
  MtxContent content;
  content.is_sparse = banner.is_sparse;
  if (banner.is_sparse) {
    content.sparse = read_coordinates(parser, banner, rows, cols, is_turned, path);
  } else {
    content.dense = read_array(parser, banner, rows, cols, path);
  }
  return content;
}

Observations read_mtx(const std::string& path) {
  MtxContent content = read_mtx_content(path, false);
  Observations result;
  if (content.is_sparse) {
    result.holds = Holds::sparse_points;
    result.sparse = std::move(content.sparse);
  } else {
    result.table.values = std::move(content.dense);
  }
  result.table.source = path;
  result.table.assumed = "rows of the matrix taken as points";
  return result;
}

void write_mtx(const std::string& path, MatrixView<const double> values) {
  write_maybe_packed(path, [&](auto& sink) {
    sink.write("%%MatrixMarket matrix array real general\n" + std::to_string(values.rows) + " " +
               std::to_string(values.cols) + "\n");
    char digits[32];
    for (std::size_t j = 0; j < values.cols; ++j) {
      for (std::size_t i = 0; i < values.rows; ++i) {
        char* end = std::to_chars(digits, digits + sizeof digits - 1, values(i, j)).ptr;
        *end++ = '\n';
        sink.write({digits, static_cast<std::size_t>(end - digits)});
      }
    }
  });
}

}  // namespace geotherm::detail
