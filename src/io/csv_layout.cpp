// Recognising separator, header and row names. The rules err on the side of an error message:
// no row or column of numbers is ever taken for names without a sign that it is.
#include "io/csv_layout.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "geotherm/core.hpp"
#include "io/csv_cells.hpp"

namespace geotherm::detail {
namespace {

using Cells = std::vector<Cell>;

struct Counts {
  std::size_t n_text = 0;
  std::size_t n_numbers = 0;
};

Counts count_kinds(const Cells& cells, std::size_t from, const NumberFormat& numbers) {
  Counts counts;
  for (std::size_t i = from; i < cells.size(); ++i) {
    const CellKind kind = numbers.read(cells[i].text);
    const bool is_number =
        kind == CellKind::number || kind == CellKind::too_large || has_decimal_comma(cells[i].text);
    counts.n_numbers += is_number;
    counts.n_text += kind == CellKind::text && !is_number;
  }
  return counts;
}

bool is_whole_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool is_label_of_names(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.empty() || text == "id" || text == "index" || text == "name";
}

// The share of numbers among the cells of the first rows, were they separated so; negative where
// the separator does not occur or quotes make no sense. Rows of equal length count double.
double score_of(char separator, std::string_view text, const std::string& path,
                const NumberFormat& numbers) {
  constexpr std::size_t kRows = 20, kCharacters = std::size_t{1} << 18;
  RecordReader reader(text, separator, path);
  Cells cells;
  std::size_t n_cells = 0, n_numbers = 0, width = 0, n_rows = 0;
  bool is_even = true;
  try {
    for (; n_rows < kRows && !reader.done(); ++n_rows) {
      const auto n_read = static_cast<std::size_t>(reader.position() - text.data());
      if (n_rows >= 2 && n_read > kCharacters) break;
      reader.next(cells);
      if (cells.empty()) continue;
      // The first row may be an R-style header, one cell shorter.
      const bool is_header = width == 0 || (n_rows == 1 && cells.size() == width + 1);
      is_even = is_even && (is_header || cells.size() == width);
      width = is_header ? cells.size() : width;
      n_cells += cells.size();
      for (const Cell& cell : cells) {
        n_numbers += numbers.read(cell.text) == CellKind::number ||
                     (separator != ',' && has_decimal_comma(cell.text));
      }
    }
  } catch (const IoError&) {
    return -1;
  }
  if (width < 2) return -1;
  const double share = static_cast<double>(n_numbers) / static_cast<double>(n_cells);
  return is_even ? 2 * share : share;
}

char find_separator(std::string_view text, const std::string& ending, const std::string& path,
                    const NumberFormat& numbers) {
  const char preferred = ending == ".csv" ? ',' : '\t';
  char best = preferred;
  double best_score = score_of(preferred, text, path, numbers);
  for (const char candidate : {'\t', ',', ';', kBlanks}) {
    if (candidate == preferred) continue;
    const double score = score_of(candidate, text, path, numbers);
    if (score > best_score) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

bool is_header(const Cells& first, const Cells& second, const NumberFormat& numbers,
               bool& is_r_style) {
  const Counts all = count_kinds(first, 0, numbers), beyond = count_kinds(first, 1, numbers);
  is_r_style = second.size() == first.size() + 1 && all.n_text > all.n_numbers;
  if (is_r_style) return true;
  if (first.size() == 1) return all.n_text == 1;
  // A first row that is mostly numbers is data with a fault in it, and reported as such.
  if (beyond.n_text > 0 && beyond.n_text >= beyond.n_numbers) return true;
  if (!is_label_of_names(first[0].text)) return false;
  // "id,0,1" and ",0,1" (columns named by number); ",0.5,2" is a row whose first value is missing.
  return !first[0].text.empty() ||
         std::all_of(first.begin() + 1, first.end(), [](const Cell& cell) {
           return classify(cell.text) == CellKind::text || is_whole_number(cell.text);
         });
}

// 0, 1, 2, ...: perhaps a header of column numbers, which cannot be told from data.
bool counts_up(const Cells& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].text != std::to_string(i)) return false;
  }
  return cells.size() > 1;
}

// Where the first row starts. Blank lines and comments ("# x y", as numpy.savetxt writes) may stand
// before it.
struct Top {
  std::size_t offset = 0;
  std::size_t line = 1;
  std::string_view comment;  // the last one, without its mark
};

Top skip_top(std::string_view text) {
  Top top;
  while (top.offset < text.size()) {
    const std::size_t end = std::min(text.find('\n', top.offset), text.size());
    const std::string_view content = text.substr(top.offset, end - top.offset);
    if (content.starts_with('#')) {
      top.comment = content.substr(std::min(content.find_first_not_of("# \t"), content.size()));
    } else if (content.find_first_not_of(" \t\r") != std::string_view::npos) {
      break;
    }
    top.offset = std::min(end + 1, text.size());
    ++top.line;
  }
  return top;
}

// The cells of a comment that names every column of the first row; else none.
Cells header_in_comment(std::string_view comment, const Cells& first, const CsvLayout& layout,
                        const std::string& path) {
  Cells cells;
  try {
    RecordReader(comment, layout.separator, path).next(cells);
  } catch (const IoError&) {
    return {};  // quotes in prose are no fault
  }
  bool ignored = false;
  const bool is_one = !cells.empty() && cells.size() == first.size() &&
                      is_header(cells, first, layout.numbers, ignored);
  return is_one ? cells : Cells{};
}

std::string describe(const CsvLayout& layout, const Cells& first, bool header_is_comment) {
  std::string words = words_for_separator(layout.separator);
  words += !layout.has_header  ? ", no header"
           : header_is_comment ? ", header in a comment line"
                               : ", with a header";
  if (!layout.has_header && counts_up(first)) {
    words += " (line " + std::to_string(layout.first_data_line) + ", 0 1 2 ..., was read as data)";
  }
  return words + (layout.has_names ? ", first column taken as row names" : ", no row names");
}

}  // namespace

std::string words_for_separator(char separator) {
  switch (separator) {
    case ',':
      return "comma-separated";
    case ';':
      return "semicolon-separated";
    case '\t':
      return "tab-separated";
    default:
      return "separated by spaces";
  }
}

NameOfIds name_of_ids(std::string_view name) {
  // Without case, blanks and marks: "Cell ID", "cell.id" and "cell_id" are one.
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '#') {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  static constexpr std::string_view certain[] = {
      "id",     "ids",      "cellid",   "cellindex", "cellnumber", "barcode",     "barcodes",
      "rowid",  "rowname",  "rownames", "rowindex",  "rownumber",  "eventid",     "eventnumber",
      "event#", "sampleid", "obsid",    "obsnames",  "unnamed0",   "observation", "#"};
  static constexpr std::string_view possible[] = {"index", "row", "cell", "event"};
  const auto is_in = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), plain) != std::end(names);
  };
  return is_in(certain)    ? NameOfIds::certain
         : is_in(possible) ? NameOfIds::possible
                           : NameOfIds::none;
}

bool is_name_of_labels(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  static constexpr std::string_view known[] = {"label",  "labels",  "cluster",  "clusters",
                                               "leiden", "louvain", "celltype", "clusterid"};
  return std::find(std::begin(known), std::end(known), plain) != std::end(known);
}

std::vector<WholeNumbers> whole_numbers(std::string_view data, const CsvLayout& layout,
                                        const std::string& path) {
  constexpr std::size_t rows_seen = 50, rows_needed = 3;
  std::vector<WholeNumbers> columns(layout.n_cells, {true, true, true});
  std::vector<std::set<double>> seen(layout.n_cells);
  std::vector<double> last(layout.n_cells, -std::numeric_limits<double>::infinity());
  RecordReader reader(data, layout.separator, path, layout.first_data_line);
  Cells cells;
  std::size_t n_rows = 0;
  for (; n_rows < rows_seen && !reader.done(); ++n_rows) {
    reader.next(cells);
    if (cells.size() != layout.n_cells) break;  // reported when the rows are read
    for (std::size_t j = 0; j < cells.size(); ++j) {
      double value = 0;
      const bool is_whole =
          is_whole_number(cells[j].text) && classify(cells[j].text, value) == CellKind::number;
      WholeNumbers& column = columns[j];
      column.are_all = column.are_all && is_whole;
      column.ascend = column.ascend && is_whole && value > last[j];
      column.differ = column.differ && is_whole && seen[j].insert(value).second;
      last[j] = value;
    }
  }
  if (n_rows < rows_needed) columns.assign(layout.n_cells, {});
  return columns;
}

CsvLayout find_csv_layout(std::string_view text, const std::string& ending, const std::string& path,
                          const NumberFormat& numbers) {
  const Top top = skip_top(text);
  const std::string_view rest = text.substr(top.offset);
  if (rest.empty()) throw IoError(path + ": holds only comments (a table needs rows of numbers)");

  CsvLayout layout;
  layout.numbers = numbers;
  layout.separator = find_separator(rest, ending, path, numbers);
  RecordReader reader(rest, layout.separator, path, top.line);
  Cells first, second;
  reader.next(first);
  const std::size_t second_line = reader.line();
  const auto second_offset = static_cast<std::size_t>(reader.position() - text.data());
  if (!reader.done()) reader.next(second);

  const bool first_is_header = is_header(first, second, numbers, layout.is_r_style);
  if (first_is_header && second.empty()) {
    throw IoError(path + ": has a header but no rows of data (line " + std::to_string(top.line) +
                  " was taken for the header)");
  }
  const Cells header =
      first_is_header ? first : header_in_comment(top.comment, first, layout, path);
  const Cells& data = first_is_header ? second : first;
  layout.has_header = !header.empty();
  layout.data_offset = first_is_header ? second_offset : top.offset;
  layout.first_data_line = first_is_header ? second_line : top.line;
  layout.reference_line = top.line;
  layout.n_cells_of_reference = first.size();
  layout.n_cells = first.size() + (layout.is_r_style ? 1 : 0);

  const bool is_wide = layout.n_cells > 1;
  layout.has_names =
      layout.is_r_style || (layout.has_header && is_wide && is_label_of_names(header[0].text));
  if (!layout.has_names && layout.has_header && is_wide &&
      name_of_ids(header[0].text) != NameOfIds::none) {
    const auto first_column = whole_numbers(text.substr(layout.data_offset), layout, path)[0];
    layout.has_names = are_ids(name_of_ids(header[0].text), first_column);
  }
  const bool starts_with_text = numbers.read(data[0].text) == CellKind::text &&
                                !has_decimal_comma(data[0].text) && !has_thousands(data[0].text);
  if (!layout.has_names && is_wide && starts_with_text) {
    layout.has_names = layout.names_are_guessed = true;
  }
  const std::size_t n_skipped = layout.has_names && !layout.is_r_style ? 1 : 0;
  for (std::size_t i = n_skipped; i < header.size(); ++i) {
    layout.column_names.push_back(header[i].text);
  }
  layout.in_words = describe(layout, first, layout.has_header && !first_is_header);
  return layout;
}

}  // namespace geotherm::detail
