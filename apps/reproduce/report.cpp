#include "report.hpp"

#include <fmt/core.h>

#include "geotherm/io.hpp"
#include "markup.hpp"

namespace geotherm::cli {
namespace {

constexpr std::string_view title = "The paper's tables and figures, measured again";

constexpr std::string_view style = R"(
:root { --ink: #1d2430; --faint: #667085; --rule: #e3e6ec; --paper: #fff; --wash: #f6f7f9;
  --accent: #0b5cad; --ahead: #e3f4ea; --ahead-ink: #10643a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --faint: #98a2b3; --rule: #2c3440;
  --paper: #12161d; --wash: #1a2029; --accent: #76b3f5; --ahead: #143524; --ahead-ink: #7fe0a8; } }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main, header > div, footer { max-width: 86rem; margin: 0 auto; padding: 0 1.5rem; }
header { background: var(--wash); border-bottom: 1px solid var(--rule); padding: 2rem 0 1.2rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; margin: 2.8rem 0 .4rem; }
p { max-width: 48rem; margin: .6rem 0; }
header p, .count, figcaption, footer { color: var(--faint); font-size: .92rem; }
nav a { display: inline-block; margin: .3rem 1.1rem 0 0; }
a { color: var(--accent); }
figure { margin: 1.4rem 0; }
figcaption { max-width: 48rem; margin-bottom: .35rem; }
.scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .8rem; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); }
th { background: var(--wash); position: sticky; top: 0; font-weight: 600; }
th.words, td.words { text-align: left; }
tr.group td { border-top: 2px solid var(--rule); }
td.again { color: var(--faint); }
td.long { white-space: normal; min-width: 16rem; text-align: left; color: var(--faint); }
tr:last-child td { border-bottom: 0; }
tbody tr:hover td { background: var(--wash); }
td.ahead, tbody tr:hover td.ahead { background: var(--ahead); color: var(--ahead-ink);
  font-weight: 600; }
.picture { overflow-x: auto; background: #fff; border: 1px solid var(--rule); border-radius: 8px;
  padding: .5rem; }
.picture svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--wash);
  padding: .1em .3em; border-radius: 4px; }
footer { padding: 2.5rem 1.5rem 3rem; }
@media print { th { position: static; } .scroll { overflow: visible; } }
)";

bool is_number(const std::string& cell) {
  if (cell == "–" || cell.empty()) return true;
  const std::size_t first = cell.find_first_not_of("*+-");
  return first != std::string::npos && cell[first] >= '0' && cell[first] <= '9';
}

/// Columns of names are set to the left, numbers to the right.
std::vector<bool> word_columns(const Table& table) {
  std::vector<bool> is_words(table.columns.size(), false);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    for (const auto& row : table.rows) {
      if (c < row.size() && !is_number(row[c])) is_words[c] = true;
    }
  }
  // A reason in place of a number does not make its column one of words.
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    std::size_t n_numbers = 0;
    for (const auto& row : table.rows) n_numbers += c < row.size() && is_number(row[c]) ? 1 : 0;
    if (2 * n_numbers >= table.rows.size()) is_words[c] = false;
  }
  return is_words;
}

std::string html_of(const Table& table) {
  const std::vector<bool> is_words = word_columns(table);
  const auto kind = [&](std::size_t c) { return is_words[c] ? " class=\"words\"" : ""; };
  std::string html = fmt::format(
      "<figure><figcaption>{}</figcaption><div class=\"scroll\">\n<table>", in_html(table.caption));
  html += "<thead><tr>";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    html += fmt::format("<th{}>{}</th>", kind(c), in_html(table.columns[c]));
  }
  html += "</tr></thead>\n<tbody>\n";
  std::string last_name;
  for (const auto& row : table.rows) {
    // Rows of the same data set stand together: its name is in ink once.
    const bool is_again = !row.empty() && row[0] == last_name;
    html += is_again ? "<tr>" : "<tr class=\"group\">";
    if (!row.empty()) last_name = row[0];
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string cell = c < row.size() ? row[c] : "";
      std::string of_class = kind(c);
      if (cell.find(ahead_mark) != std::string::npos) {
        of_class = " class=\"ahead\"";
      } else if (c == 0 && is_again) {
        of_class = " class=\"words again\"";
      } else if (c > 0 && cell.size() > 40) {
        of_class = " class=\"long\"";
      }
      html += fmt::format("<td{}>{}</td>", of_class, in_html(cell));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div></figure>\n";
}

/// A picture of its own file may open with an XML declaration; inside a page it may not.
std::string_view element_of(const Figure& figure) {
  const std::size_t begin = figure.svg.find("<svg");
  return begin == std::string::npos ? std::string_view()
                                    : std::string_view(figure.svg).substr(begin);
}

std::string count_of(const ReportPart& part) {
  if (part.n_measured == part.n_jobs) return fmt::format("All {} jobs were run.", part.n_jobs);
  return fmt::format(
      "{} of {} jobs were run; a row without any says so, one without ± has a single seed.",
      part.n_measured, part.n_jobs);
}

std::string html_of(const Report& report) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<header><div><h1>{0}</h1>\n",
      title, style);
  for (const std::string& remark : report.remarks)
    html += fmt::format("<p>{}</p>\n", in_html(remark));
  html += "<nav>";
  for (const ReportPart& part : report.parts) {
    html += fmt::format("<a href=\"#{}\">{}</a>", escaped(part.experiment),
                        escaped(part.section.title));
  }
  html += "</nav></div></header>\n<main>\n";
  for (const ReportPart& part : report.parts) {
    html += fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p class=\"count\">{}</p>\n",
                        escaped(part.experiment), escaped(part.section.title), count_of(part));
    for (const std::string& words : part.section.paragraphs)
      html += fmt::format("<p>{}</p>\n", in_html(words));
    for (const Table& table : part.section.tables) html += html_of(table);
    for (const Figure& figure : part.section.figures) {
      html += fmt::format(
          "<figure id=\"{}\"><figcaption>{}</figcaption>\n<div "
          "class=\"picture\">{}</div></figure>\n",
          escaped(figure.name), in_html(figure.caption), element_of(figure));
    }
    html += "</section>\n";
  }
  return html + fmt::format("</main>\n<footer>Written by geotherm {}.</footer>\n</body></html>\n",
                            version());
}

std::string markdown_of(const Table& table) {
  std::string text = fmt::format("**{}**\n\n|", in_markdown(table.caption));
  const std::vector<bool> is_words = word_columns(table);
  for (const std::string& column : table.columns) text += fmt::format(" {} |", in_markdown(column));
  text += "\n|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) text += is_words[c] ? "---|" : "---:|";
  for (const auto& row : table.rows) {
    text += "\n|";
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      text += fmt::format(" {} |", c < row.size() ? in_markdown(row[c]) : "");
    }
  }
  return text + "\n\n";
}

std::string markdown_of(const Report& report) {
  std::string text = fmt::format("# {}\n\n", title);
  for (const std::string& remark : report.remarks) text += in_markdown(remark) + "\n\n";
  for (const ReportPart& part : report.parts) {
    text += fmt::format("## {}\n\n{}\n\n", in_markdown(part.section.title), count_of(part));
    for (const std::string& words : part.section.paragraphs) text += in_markdown(words) + "\n\n";
    for (const Table& table : part.section.tables) text += markdown_of(table);
    for (const Figure& figure : part.section.figures) {
      text += fmt::format("![{}]({}.svg)\n\n", in_markdown(figure.caption), figure.name);
    }
  }
  return text;
}

}  // namespace

void write_report(const Report& report, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const ReportPart& part : report.parts) {
    for (const Figure& figure : part.section.figures) {
      write_file_atomically((folder / (figure.name + ".svg")).string(), figure.svg);
    }
  }
  write_file_atomically((folder / "results.md").string(), markdown_of(report));
  write_file_atomically((folder / "index.html").string(), html_of(report));
}

}  // namespace geotherm::cli
