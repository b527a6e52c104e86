#include "pseudotime_trends.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page_columns.hpp"

namespace geotherm::cli {
namespace {

/// Where no genes are named, curves are written of so many at each end.
constexpr std::size_t best_of_an_end = 10;

std::string in_csv(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

/// Every end with the weight of each cell; without ends one that all cells belong to.
struct Towards {
  std::string name;
  std::vector<double> weights;
};

std::vector<Towards> ends_of(const TrajectoryTable& table) {
  std::vector<Towards> ends;
  for (std::size_t k = 0; k < table.network.ends.size(); ++k) {
    Towards end{milestone_name(table.network.ends[k]), {}};
    for (std::size_t i = 0; i < table.fates.rows(); ++i) {
      end.weights.push_back(std::isnan(table.fates(i, k)) ? 0 : table.fates(i, k));
    }
    ends.push_back(std::move(end));
  }
  if (ends.empty()) ends.push_back({"all", {}});
  return ends;
}

std::vector<std::size_t> best_first(const std::vector<double>& explained) {
  std::vector<std::size_t> order(explained.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return explained[a] > explained[b]; });
  return order;
}

}  // namespace

GeneValues gene_values(const TrendWords& words, const std::string& path,
                       const LoadedInput& loaded) {
  GeneValues genes;
  if (words.empty()) return genes;
  const std::vector<PageColumn> columns =
      words.genes.empty() ? all_features(path, loaded, words.source)
                          : features_of(path, loaded, words.genes, words.source, "--genes");
  const std::size_t n = loaded.input().n_points();
  genes.values = Matrix<double>(n, columns.size());
  for (std::size_t g = 0; g < columns.size(); ++g) {
    const PageColumn& column = columns[g];
    genes.names.push_back(column.name);
    for (std::size_t k = 0; k < column.rows.size(); ++k) {
      genes.values(static_cast<std::size_t>(column.rows[k]), g) = column.values[k];
    }
    for (std::size_t i = 0; i < column.numbers.size(); ++i) genes.values(i, g) = column.numbers[i];
  }
  return genes;
}

void write_trends(const TrendWords& words, const GeneValues& genes, const TrajectoryTable& table,
                  const Context& context) {
  if (words.empty()) return;
  std::string curves = "gene,end,pseudotime,mean,low,high\n";
  std::string top = "end,gene,explained,change,freedom\n";
  for (const Towards& end : ends_of(table)) {
    const Trends trends =
        fit_trends(table.order.values, end.weights, genes.values.view(), {}, context);
    const std::vector<std::size_t> order = best_first(trends.explained);
    const std::size_t last = trends.pseudotime.size() - 1;
    for (const std::size_t g : order) {
      top += fmt::format("{},{},{:.6g},{:.6g},{:.4g}\n", end.name, in_csv(genes.names[g]),
                         trends.explained[g], trends.mean(g, last) - trends.mean(g, 0),
                         trends.freedom[g]);
    }
    const std::size_t n_curves =
        words.genes.empty() ? std::min(best_of_an_end, order.size()) : order.size();
    for (std::size_t k = 0; k < n_curves; ++k) {
      const std::size_t g = order[k];
      for (std::size_t x = 0; x <= last; ++x) {
        curves += fmt::format("{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", in_csv(genes.names[g]),
                              end.name, trends.pseudotime[x], trends.mean(g, x), trends.low(g, x),
                              trends.high(g, x));
      }
    }
  }
  if (!words.curves.empty()) write_file_atomically(words.curves, curves);
  if (!words.branch_genes.empty()) write_file_atomically(words.branch_genes, top);
}

}  // namespace geotherm::cli
