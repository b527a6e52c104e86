#include "table_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geotherm/columns.hpp"

namespace geotherm::cli {
namespace {

std::size_t n_gaps(const Table& table) {
  return std::visit(
      [](const auto& values) {
        const auto* const end = values.data() + values.size();
        return static_cast<std::size_t>(
            std::count_if(values.data(), end, [](auto x) { return std::isnan(x); }));
      },
      table.values);
}

/// Two significant digits, without an exponent for numbers that people write out: 17000.
std::string two_digits(double value) {
  if (!(value >= 100 && value < 1e7)) return fmt::format("{:.2g}", value);
  const double place = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return fmt::format("{:.0f}", std::round(value / place) * place);
}

std::string with_deviation(const std::string& name, double deviation) {
  return fmt::format("'{}' ({})", name, two_digits(deviation));
}

/// At most 2,000 rows, spread over the table: enough to tell scales.
Matrix<double> some_rows(const Table& table) {
  constexpr std::size_t most = 2000;
  const std::size_t step = std::max<std::size_t>(1, (table.rows() + most - 1) / most);
  Matrix<double> some((table.rows() + step - 1) / step, table.cols());
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < some.rows(); ++i) {
          std::copy(values.row(i * step).begin(), values.row(i * step).end(), some.row(i).begin());
        }
      },
      table.values);
  return some;
}

/// Distances see the columns of the largest scale alone: said with their names.
void warn_of_scales(const LoadedInput& loaded, const Context& context) {
  constexpr double most = 100;
  const std::vector<std::string>& names = loaded.table.column_names;
  if (names.size() < 2 || names.size() != loaded.table.cols()) return;
  const std::vector<double> deviations = column_deviations(some_rows(loaded.table).view());
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < deviations.size(); ++j) {
    if (deviations[j] > 0) order.push_back(j);
  }
  if (order.size() < 2) return;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return deviations[a] < deviations[b]; });
  // A tenth of the columns may be nearly constant, as rare genes are.
  const double small = deviations[order[(order.size() - 1) / 10]];
  const std::size_t largest = order.back();
  if (!(deviations[largest] > most * small)) return;
  std::string large;
  std::size_t n_large = 0;
  for (auto at = order.rbegin(); at != order.rend() && deviations[*at] > most * small; ++at) {
    if (++n_large <= 3) {
      large += (large.empty() ? "" : ", ") + with_deviation(names[*at], deviations[*at]);
    }
  }
  if (n_large > 3) large += fmt::format(" and {} more", n_large - 3);
  context.warn(fmt::format(
      "columns differ in scale by a factor of {}: distances are dominated by {}, while {} has "
      "little influence "
      "(standard deviations in brackets; --scale standardise or robust gives all the same weight, "
      "--drop leaves columns out)",
      two_digits(deviations[largest] / small), large,
      with_deviation(names[order.front()], deviations[order.front()])));
}

Matrix<double>& in_double(Table& table) {
  if (!std::holds_alternative<Matrix<double>>(table.values)) table.values = table.to_double();
  return std::get<Matrix<double>>(table.values);
}

/// A column that is empty from top to bottom cannot be filled in.
void require_some_value(const Matrix<double>& values, const Table& table) {
  std::string empty;
  for (std::size_t j = 0; j < values.cols() && !table.column_names.empty(); ++j) {
    bool has_value = false;
    for (std::size_t i = 0; i < values.rows() && !has_value; ++i) {
      has_value = !std::isnan(values(i, j));
    }
    if (!has_value) empty += (empty.empty() ? "" : ",") + table.column_names[j];
  }
  if (empty.empty()) return;
  throw InvalidData(fmt::format(
      "{}: no row has a value in some columns (--drop {} leaves them out)", table.source, empty));
}

void fill(const InputOptions& options, const Context& context, LoadedInput& loaded) {
  if (options.missing == "refuse" || n_gaps(loaded.table) == 0) return;
  Matrix<double>& values = in_double(loaded.table);
  const MatrixView<double> all{values.data(), values.rows(), values.cols(), values.cols()};
  require_some_value(values, loaded.table);
  const std::size_t n = fill_missing(all, *missing_values_named(options.missing), context);
  const double share = static_cast<double>(n) / static_cast<double>(values.size());
  loaded.table.assumed += fmt::format(
      ", {} missing value{} ({:.2g} %) filled in by {}", n, n == 1 ? "" : "s", 100 * share,
      options.missing == "mean" ? "the column's mean" : "the mean of the 5 nearest rows");
}

void scale(const InputOptions& options, const Context& context, LoadedInput& loaded) {
  Matrix<double>& values = in_double(loaded.table);
  const ColumnScales scales =
      column_scales(values.view(), *column_scaling_named(options.scale), context);
  if (options.keeps_steps) {
    loaded.steps.n_columns = values.cols();
    loaded.steps.shift = scales.shift;
    loaded.steps.scale = scales.scale;
    if (loaded.keys_before.empty()) loaded.keys_before = row_keys(values.view());
  }
  apply_scales(scales, {values.data(), values.rows(), values.cols(), values.cols()}, context);
  loaded.table.assumed += options.scale == "robust"
                              ? ", columns scaled by median and median deviation"
                              : ", columns scaled by mean and standard deviation";
}

char single(const std::string& option, const std::string& given) {
  if (given == "tab") return '\t';
  if (given == "space") return ' ';
  if (given.size() == 1) return given[0];
  throw InvalidArgument(fmt::format("{} is '{}': give one character", option, given));
}

}  // namespace

void add_table_options(CLI::App& command, InputOptions& options) {
  const std::string group = "Input";
  command
      .add_option("--drop", options.read.drop,
                  "All columns but these, by name: id,batch. Columns of row numbers\n"
                  "(cell_id, index, ...) are left out of text tables automatically")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group(group);
  command
      .add_option("--scale", options.scale,
                  "Scaling of the columns: none; standardise (mean, standard\n"
                  "deviation); robust (median, median deviation)")
      ->check(CLI::IsMember({"none", "standardise", "standardize", "robust"}).description(""))
      ->type_name("HOW")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--missing", options.missing,
                  "Missing values (empty, NA, NaN): refuse; mean of the column; knn, the\n"
                  "mean of the 5 nearest rows that have it")
      ->check(CLI::IsMember({"refuse", "mean", "knn"}).description(""))
      ->type_name("HOW")
      ->capture_default_str()
      ->group(group);
  command.add_option("--decimal", options.decimal, "Text: decimal mark, as in 1,5")
      ->type_name("CHARACTER")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--thousands", options.thousands,
                  "Text: thousands separator, as in 1,234.5 (space: a blank)")
      ->type_name("CHARACTER")
      ->group(group);
}

ReadOptions read_options_of(const InputOptions& options) {
  ReadOptions read = options.read;
  read.decimal = single("--decimal", options.decimal);
  if (!options.thousands.empty()) read.thousands = single("--thousands", options.thousands);
  if (read.decimal == read.thousands) {
    throw InvalidArgument(fmt::format("--decimal and --thousands are both '{}'", options.decimal));
  }
  read.reads_missing = options.missing != "refuse";
  if (options.scale != "none" && options.preprocess == "single-cell") {
    throw InvalidArgument(
        "--scale is given with --preprocess single-cell, which scales genes itself (leave one "
        "out)");
  }
  return read;
}

std::string gaps_in_words(const Table& table) {
  const std::size_t n = n_gaps(table), all = table.rows() * table.cols();
  if (n == 0) return {};
  return fmt::format(
      "; {} of {} values are missing, {:.2g} % (--missing mean or knn fills them in)", n, all,
      100 * static_cast<double>(n) / static_cast<double>(all));
}

void prepare_table(const InputOptions& options, const Context& context, LoadedInput& loaded) {
  if (loaded.holds != Holds::points || loaded.cells) return;
  fill(options, context, loaded);
  if (n_gaps(loaded.table) > 0) return;  // refused with all that is not finite
  if (options.scale == "none") {
    if (options.preprocess == "none") warn_of_scales(loaded, context);
  } else {
    scale(options, context, loaded);
  }
}

}  // namespace geotherm::cli
