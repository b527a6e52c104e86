// Recognising separator, header and row names. The rules err on the side of an error message:
// no row or column of numbers is ever taken for names without a sign that it is.
#include "io/csv_layout.hpp"

#include <algorithm>
#include <cctype>

#include "geotherm/core.hpp"
#include "io/csv_cells.hpp"

namespace geotherm::detail {
namespace {

using Cells = std::vector<Cell>;

struct Counts {
  std::size_t n_text = 0;
  std::size_t n_numbers = 0;
};

Counts count_kinds(const Cells& cells, std::size_t from) {
  Counts counts;
  for (std::size_t i = from; i < cells.size(); ++i) {
    const CellKind kind = classify(cells[i].text);
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
double score_of(char separator, std::string_view text, const std::string& path) {
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
        n_numbers += classify(cell.text) == CellKind::number ||
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

char find_separator(std::string_view text, const std::string& ending, const std::string& path) {
  const char preferred = ending == ".csv" ? ',' : '\t';
  char best = preferred;
  double best_score = score_of(preferred, text, path);
  for (const char candidate : {'\t', ',', ';', kBlanks}) {
    if (candidate == preferred) continue;
    const double score = score_of(candidate, text, path);
    if (score > best_score) {
      best = candidate;
      best_score = score;
    }
  }
  return best;
}

bool is_header(const Cells& first, const Cells& second, bool& is_r_style) {
  const Counts all = count_kinds(first, 0), beyond = count_kinds(first, 1);
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

CsvLayout find_csv_layout(std::string_view text, const std::string& ending,
                          const std::string& path) {
  // Blank lines and comments ("# x y", as numpy.savetxt writes) may stand at the top; the last
  // comment may turn out to be the header.
  std::size_t start = 0, line = 1;
  std::string_view comment;
  std::size_t comment_line = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view content = text.substr(start, end - start);
    if (content.starts_with('#')) {
      comment = content.substr(std::min(content.find_first_not_of("# \t"), content.size()));
      comment_line = line;
    } else if (content.find_first_not_of(" \t\r") != std::string_view::npos) {
      break;
    }
    start = std::min(end + 1, text.size());
    ++line;
  }
  const std::string_view rest = text.substr(start);
  if (rest.empty()) throw IoError(path + ": holds only comments (a table needs rows of numbers)");

  CsvLayout layout;
  layout.separator = find_separator(rest, ending, path);
  RecordReader reader(rest, layout.separator, path, line);
  Cells first, second;
  reader.next(first);
  const std::size_t second_line = reader.line();
  const auto second_offset = static_cast<std::size_t>(reader.position() - text.data());
  if (!reader.done()) reader.next(second);

  layout.has_header = is_header(first, second, layout.is_r_style);
  layout.reference_line = line;
  layout.n_cells_of_reference = first.size();
  bool header_is_comment = false;
  Cells header = first;
  if (!layout.has_header && !comment.empty()) {
    RecordReader comment_reader(comment, layout.separator, path, comment_line);
    comment_reader.next(header);
    const bool has_right_size = header.size() == first.size() || header.size() + 1 == first.size();
    header_is_comment =
        !header.empty() && has_right_size && is_header(header, first, layout.is_r_style);
  }
  if (layout.has_header) {
    layout.data_offset = second_offset;
    layout.first_data_line = second_line;
    if (second.empty()) {
      throw IoError(path + ": has a header but no rows of data (line " + std::to_string(line) +
                    " was taken for the header)");
    }
  } else {
    layout.data_offset = start;
    layout.first_data_line = line;
  }
  const Cells& data = layout.has_header ? second : first;
  layout.has_header = layout.has_header || header_is_comment;
  layout.n_cells = layout.has_header && !header_is_comment
                       ? header.size() + (layout.is_r_style ? 1 : 0)
                       : first.size();

  const bool is_wide = layout.n_cells > 1;
  layout.has_names =
      layout.is_r_style || (layout.has_header && is_wide && is_label_of_names(header[0].text));
  if (!layout.has_names && is_wide && classify(data[0].text) == CellKind::text) {
    layout.has_names = layout.names_are_guessed = true;
  }
  if (layout.has_header) {
    const std::size_t skip = layout.has_names && !layout.is_r_style ? 1 : 0;
    for (std::size_t i = skip; i < header.size(); ++i) {
      layout.column_names.push_back(header[i].text);
    }
  }
  layout.in_words = describe(layout, first, header_is_comment);
  return layout;
}

}  // namespace geotherm::detail
