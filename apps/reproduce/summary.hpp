// Measured and printed numbers as they stand in tables: mean and spread over seeds, the difference
// from the paper, and where we are ahead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm::cli {

/// Mean and population standard deviation (as NumPy's std), with how many values stand behind them.
struct Measured {
  double mean = 0;
  double std = 0;
  std::size_t n = 0;
};
Measured measured(std::span<const double> values);
/// "0.992 ± 0.003"; without spread where there is one value.
std::string in_words(const Measured&, int n_decimals = 3);

/// A number of the paper's tables.
struct Printed {
  double mean = 0;
  double std = 0;
};
std::string in_words(const Printed&);
/// As in the tables (paper_tables.csv): table "app_distance_swiss", data set "Swiss roll", noise (0
/// where the table has none), method "Heat-Geo", metric "pearson". Empty where nothing is printed.
std::optional<Printed> printed(std::string_view table, std::string_view dataset, double noise,
                               std::string_view method, std::string_view metric);

enum class Better { higher, lower };
/// "+0.010 ▲": ours less the paper's; the mark where ours is better by more than printed digits
/// tell apart (half a unit of the third). Empty paper: "–".
std::string difference(const Measured& ours, const std::optional<Printed>& paper,
                       Better = Better::higher, int n_decimals = 3);

}  // namespace geotherm::cli
