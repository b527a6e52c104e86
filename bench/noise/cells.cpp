// What the search for shortcut edges does to labelled cells: subsamples of 80 %, with and without
// it. One line a subsample, mode and group: neighbours kept, purity, weighted degree lost; and the
// order of heat distances from a root against time. Driven by bench/noise/evidence.py.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>

#include "geotherm/geotherm.hpp"

namespace {

using namespace geotherm;

std::vector<std::string> words_of(const NamedArray& array) {
  if (const auto* text = std::get_if<std::vector<std::string>>(&array.values)) return *text;
  std::vector<std::string> words;
  if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    for (const auto v : *whole) words.push_back(std::to_string(v));
  } else if (const auto* real = std::get_if<std::vector<double>>(&array.values)) {
    for (const auto v : *real) words.push_back(std::to_string(v));
  }
  return words;
}

std::vector<double> numbers_of(const NamedArray& array) {
  std::vector<double> numbers;
  std::visit(
      [&](const auto& values) {
        for (const auto& v : values) {
          if constexpr (std::is_convertible_v<decltype(v), double>) {
            numbers.push_back(static_cast<double>(v));
          }
        }
      },
      array.values);
  return numbers;
}

struct LabelledCells {
  Matrix<double> X;
  std::vector<std::string> labels;
  std::vector<double> times;  ///< empty where there are none
};

LabelledCells cells_of_file(std::map<std::string, std::string>& a) {
  LabelledCells cells{read_table(a["data"] + ":" + a["key"]).to_double(),
                      words_of(read_npz_array(a["data"], a["labels"])),
                      {}};
  if (a.count("time")) cells.times = numbers_of(read_npz_array(a["data"], a["time"]));
  return cells;
}

/// Made-up shapes stand in the same table: groups where there are some, and the true geodesic from
/// the first point as time.
LabelledCells cells_of_shape(const std::string& name) {
  SynthOptions options{.n = 2500};
  options.clustered = name == "clustered-roll";
  options.noise = name == "sphere" ? 0.05 : name == "torus" ? 0.1 : 0.5;
  Dataset data =
      synthesize(options.clustered ? Shape::swiss_roll : *shape_named(name), options, {});
  LabelledCells cells{std::move(data.X), {}, {}};
  const auto row = data.geodesic.row(0);
  cells.times.assign(row.begin(), row.end());
  for (std::size_t i = 0; i < cells.X.rows(); ++i) {
    cells.labels.push_back(options.clustered ? std::to_string(data.label[i]) : "all");
  }
  return cells;
}

std::vector<Index> nearest(std::span<const double> distances, Index self, std::size_t k) {
  std::vector<Index> order(distances.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::erase(order, self);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(k, order.size()));
  std::partial_sort(order.begin(), middle, order.end(), [&](Index a, Index b) {
    const double da = distances[static_cast<std::size_t>(a)];
    const double db = distances[static_cast<std::size_t>(b)];
    return da != db ? da < db : a < b;
  });
  order.erase(middle, order.end());
  return order;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> a;
  for (int i = 1; i < argc; ++i) {
    const char* split = std::strchr(argv[i], '=');
    if (split != nullptr) a[std::string(static_cast<const char*>(argv[i]), split)] = split + 1;
  }
  constexpr std::size_t k = 10;
  const LabelledCells cells = a.count("shape") ? cells_of_shape(a["shape"]) : cells_of_file(a);
  const auto& [all, all_labels, all_times] = cells;
  const std::size_t most = a.count("most") ? std::strtoul(a["most"].c_str(), nullptr, 10) : 3500;
  const int first = std::atoi(a["from"].c_str());
  const int last = std::atoi(a["to"].c_str());

  for (int b = first; b <= last; ++b) {
    std::vector<Index> chosen(all.rows());
    std::iota(chosen.begin(), chosen.end(), Index{0});
    Rng rng(static_cast<std::uint64_t>(b), "evidence.subsample");
    for (std::size_t i = chosen.size(); i-- > 1;) std::swap(chosen[i], chosen[rng.below(i + 1)]);
    chosen.resize(std::min(most, all.rows()) * 8 / 10);
    std::sort(chosen.begin(), chosen.end());
    Matrix<double> X(chosen.size(), all.cols());
    std::vector<std::string> labels;
    std::vector<double> times;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const auto row = static_cast<std::size_t>(chosen[i]);
      std::copy(all.row(row).begin(), all.row(row).end(), X.row(i).begin());
      labels.push_back(all_labels[row]);
      if (!all_times.empty()) times.push_back(all_times[row]);
    }
    const NeighborLists ambient = find_neighbors(X.view(), {.knn = k});
    // Up to 20 cells of each group are asked; the root is the first of them that is earliest.
    std::map<std::string, std::vector<Index>> asked;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      auto& group = asked[labels[i]];
      if (group.size() < 20) group.push_back(static_cast<Index>(i));
    }
    std::vector<Index> sources;
    if (!times.empty()) {
      sources.push_back(
          static_cast<Index>(std::min_element(times.begin(), times.end()) - times.begin()));
    }
    for (const auto& [label, group] : asked)
      sources.insert(sources.end(), group.begin(), group.end());

    for (const bool on : {false, true}) {
      MethodOptions o;
      o.neighbors.knn = 10;
      if (!on) o.shortcuts = ShortcutOptions{.share = 0};
      const DistanceRun run = heat_geo_distances_from(X.view(), sources, o);
      std::vector<double> lost(X.rows(), 0);
      if (on) {
        for (std::size_t i = 0; i < lost.size(); ++i) {
          lost[i] = run.shortcuts.removed_fraction[static_cast<std::size_t>(run.unique_inverse[i])];
        }
      }
      std::size_t s = 0;
      double order = 0;
      if (!times.empty()) order = spearman(run.rows.row(s++), times);
      for (const auto& [label, group] : asked) {
        double kept = 0, pure = 0;
        for (const Index cell : group) {
          const auto near = nearest(run.rows.row(s++), cell, k);
          const auto true_near = ambient.neighbors(static_cast<std::size_t>(cell));
          for (const Index other : near) {
            kept += std::find(true_near.begin(), true_near.end(), other) != true_near.end() ? 1 : 0;
            pure += labels[static_cast<std::size_t>(other)] == label ? 1 : 0;
          }
        }
        double loss = 0, size = 0, worst = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
          if (labels[i] != label) continue;
          loss += lost[i];
          worst = std::max(worst, lost[i]);
          size += 1;
        }
        const double asks = static_cast<double>(group.size() * k);
        std::printf("%d\t%s\t%s\t%.0f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.6f\n", b, on ? "on" : "off",
                    label.c_str(), size, kept / asks, pure / asks, loss / size, worst, order,
                    run.shortcuts.removed_share());
      }
      std::fflush(stdout);
    }
  }
}
