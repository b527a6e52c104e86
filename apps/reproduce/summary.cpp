#include "summary.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "experiment.hpp"
#include "paper_tables.hpp"

namespace geotherm::cli {
namespace {

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Cuts the text before the next `separator` off its front.
std::string_view next_cell(std::string_view& line, char separator) {
  const std::size_t end = std::min(line.find(separator), line.size());
  const std::string_view cell = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return cell;
}

}  // namespace

Measured measured(std::span<const double> values) {
  Measured found;
  found.n = values.size();
  if (values.empty()) return found;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) found.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.std = std::sqrt(squares / n);
  return found;
}

std::string in_words(const Measured& value, int n_decimals) {
  if (value.n == 0) return "–";
  if (value.n == 1) return fmt::format("{:.{}f}", value.mean, n_decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", value.mean, n_decimals, value.std, n_decimals);
}

std::string in_words(const Printed& value) {
  return fmt::format("{:.3f} ± {:.3f}", value.mean, value.std);
}

std::optional<Printed> printed(std::string_view table, std::string_view dataset, double noise,
                               std::string_view method, std::string_view metric) {
  std::string_view rest = paper_tables;
  while (!rest.empty()) {
    std::string_view line = next_cell(rest, '\n');
    if (next_cell(line, ',') != table || next_cell(line, ',') != dataset) continue;
    if (number(next_cell(line, ',')) != noise) continue;
    if (next_cell(line, ',') != method || next_cell(line, ',') != metric) continue;
    const double mean = number(next_cell(line, ','));
    return Printed{mean, number(next_cell(line, ','))};
  }
  return std::nullopt;
}

std::string difference(const Measured& ours, const std::optional<Printed>& paper, Better better,
                       int n_decimals) {
  if (!paper || ours.n == 0) return "–";
  const double half_a_unit = 0.5 * std::pow(10.0, -n_decimals);
  double more = ours.mean - paper->mean;
  if (std::abs(more) < half_a_unit) more = 0;  // not "-0.000"
  const bool is_ahead = (better == Better::higher ? more : -more) > half_a_unit;
  return fmt::format("{:+.{}f}{}{}", more, n_decimals, is_ahead ? " " : "",
                     is_ahead ? ahead_mark : "");
}

}  // namespace geotherm::cli
