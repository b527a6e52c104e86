// Labels of training rows -> labels of new rows by the votes of their neighbours, with probabilities
// that are fitted to training points left out one by one (docs/methods/new_points.md).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "geotherm/model.hpp"

namespace geotherm {
namespace {

constexpr std::array floors = {1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3};
constexpr std::array few_exponents = {0.5, 0.7, 1.0, 1.4, 2.0, 2.8};

bool is_missing(const std::string& label) {
  return label.empty() || label == "NA" || label == "NaN" || label == "nan" || label == "(missing)";
}

/// Labels with votes, as shares that sum to 1; by code.
using Shares = std::vector<std::pair<Index, double>>;

void vote(const UniqueRowLabels& labels, std::span<const Index> neighbors,
          std::span<const double> distances, const LabelRule& rule, bool are_affinities,
          Shares& shares) {
  shares.clear();
  const std::size_t k = std::min(rule.n_neighbors, neighbors.size());
  if (k == 0) return;
  const double last = distances[k - 1];
  double total = 0;
  for (std::size_t j = 0; j < k; ++j) {
    const Index code = labels.codes[static_cast<std::size_t>(neighbors[j])];
    if (code < 0) continue;
    double weight = 1;
    if (are_affinities) {
      weight = distances.front() / distances[j];
    } else if (std::isfinite(rule.time) && last > 0 && std::isfinite(last)) {
      const double u = distances[j] / last;
      weight = std::exp(-u * u / rule.time);
    }
    const auto found = std::ranges::find(shares, code, &Shares::value_type::first);
    if (found == shares.end()) {
      shares.emplace_back(code, weight);
    } else {
      found->second += weight;
    }
    total += weight;
  }
  for (auto& [code, share] : shares) share /= total;
  std::ranges::sort(shares);
}

/// (share + floor)^exponent of `share`, over the sum of the same for all labels.
double probability(const Shares& shares, double share, std::size_t n_labels, const LabelRule& rule) {
  const auto raised = [&](double s) { return std::pow(s + rule.floor, rule.exponent); };
  double total = static_cast<double>(n_labels - shares.size()) * raised(0);
  for (const auto& [code, s] : shares) total += raised(s);
  return raised(share) / total;
}

double share_of(const Shares& shares, Index code) {
  const auto found = std::ranges::find(shares, code, &Shares::value_type::first);
  return found == shares.end() ? 0.0 : found->second;
}

/// The label with the largest share, the first of equal ones; -1 and 0 without votes.
std::pair<Index, double> most_voted(const Shares& shares) {
  std::pair<Index, double> best = {-1, 0.0};
  for (const auto& vote : shares) {
    if (vote.second > best.second) best = vote;
  }
  return best;
}

/// Evenly spread places that have a label and neighbours.
std::vector<std::size_t> left_out_places(const Model& model, const UniqueRowLabels& labels) {
  constexpr std::size_t most = 3000;
  const std::size_t n = model.neighbors.n_points;
  const std::size_t step = std::max<std::size_t>(1, (n + most - 1) / most);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < n; i += step) {
    if (labels.codes[i] >= 0 && !model.neighbors.neighbors(i).empty()) places.push_back(i);
  }
  return places;
}

}  // namespace

const UniqueRowLabels* Model::labels_named(std::string_view name) const {
  const auto found = std::ranges::find(labels, name, &UniqueRowLabels::name);
  return found == labels.end() ? nullptr : &*found;
}

UniqueRowLabels unique_row_labels(const Model& model, std::string name,
                         const std::vector<std::string>& of_rows) {
  if (of_rows.size() != model.n_rows()) {
    throw InvalidData("'" + name + "' has " + std::to_string(of_rows.size()) +
                      " labels, but the map was made from " + std::to_string(model.n_rows()) +
                      " rows: give one per row, in the order of its table");
  }
  UniqueRowLabels labels{.name = std::move(name)};
  for (const std::string& label : of_rows) {
    if (!is_missing(label)) labels.names.push_back(label);
  }
  std::ranges::sort(labels.names);
  const auto last = std::ranges::unique(labels.names);
  labels.names.erase(last.begin(), last.end());
  // Votes of the rows of each place, with the first row that cast one.
  std::vector<std::map<Index, std::pair<std::size_t, std::size_t>>> votes(model.n_unique());
  for (std::size_t i = 0; i < of_rows.size(); ++i) {
    if (is_missing(of_rows[i])) continue;
    const auto place =
        model.unique_inverse.empty() ? i : static_cast<std::size_t>(model.unique_inverse[i]);
    const auto code = static_cast<Index>(std::ranges::lower_bound(labels.names, of_rows[i]) -
                                         labels.names.begin());
    ++votes[place].try_emplace(code, 0, i).first->second.first;
  }
  labels.codes.assign(model.n_unique(), -1);
  for (std::size_t place = 0; place < votes.size(); ++place) {
    std::pair<std::size_t, std::size_t> best = {0, 0};
    for (const auto& [code, count] : votes[place]) {
      if (count.first > best.first || (count.first == best.first && count.second < best.second)) {
        best = count;
        labels.codes[place] = code;
      }
    }
  }
  return labels;
}

LabelRule fit_label_rule(const Model& model, const UniqueRowLabels& labels) {
  const bool are_affinities = model.input == ModelInput::affinities;
  const std::vector<std::size_t> places = left_out_places(model, labels);
  LabelRule best;
  best.log_loss = std::numeric_limits<double>::infinity();
  if (places.empty() || labels.names.size() < 2) return LabelRule{};
  std::vector<double> times = {0.25, 0.5, 1, 2, std::numeric_limits<double>::infinity()};
  if (are_affinities) times = {1};
  std::vector<Shares> all(places.size());
  const auto take_votes = [&](const LabelRule& rule) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      vote(labels, model.neighbors.neighbors(places[i]), model.neighbors.lengths(places[i]), rule,
           are_affinities, all[i]);
    }
  };
  const auto try_all = [&](LabelRule rule, std::span<const double> exponents, const auto& loss_of) {
    for (const double floor : floors) {
      for (const double exponent : exponents) {
        rule.floor = floor;
        rule.exponent = exponent;
        double loss = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
          loss += loss_of(all[i], labels.codes[places[i]], rule);
        }
        rule.log_loss = loss / static_cast<double>(places.size());
        if (rule.log_loss < best.log_loss) best = rule;
      }
    }
  };
  // Whose votes count is settled by all labels' probabilities ...
  for (const std::size_t k : {std::size_t{5}, std::size_t{10}, std::size_t{15}}) {
    if (k > 5 && k > model.neighbors.knn) continue;
    for (const double time : times) {
      const LabelRule rule{.n_neighbors = k, .time = time};
      take_votes(rule);
      try_all(rule, few_exponents, [&](const Shares& shares, Index truth, const LabelRule& r) {
        return -std::log(probability(shares, share_of(shares, truth), labels.names.size(), r));
      });
    }
  }
  // ... and what they become by the one that is given: that of the answer.
  std::vector<double> exponents;
  for (double g = few_exponents.front(); g < 1.05 * few_exponents.back(); g *= 1.1) {
    exponents.push_back(g);
  }
  take_votes(best);
  best.log_loss = std::numeric_limits<double>::infinity();
  try_all(best, exponents, [&](const Shares& shares, Index truth, const LabelRule& r) {
    const auto [code, share] = most_voted(shares);
    const double p = std::clamp(probability(shares, share, labels.names.size(), r), 1e-6, 1 - 1e-6);
    return -std::log(code == truth ? p : 1 - p);
  });
  return best;
}

LabelTransfer transfer_labels(const Model& model, const UniqueRowLabels& labels, const LabelRule& rule,
                              const Placement& placed) {
  if (placed.neighbors.n_points == 0 && placed.coordinates.rows() > 0) {
    throw InvalidArgument("a linear map (" + model.method +
                          ") has no neighbours to take labels from: make the map by another method");
  }
  LabelTransfer result;
  Shares shares;
  const bool are_affinities = model.input == ModelInput::affinities;
  for (std::size_t i = 0; i < placed.neighbors.n_points; ++i) {
    vote(labels, placed.neighbors.neighbors(i), placed.neighbors.lengths(i), rule, are_affinities,
         shares);
    const auto [code, most] = most_voted(shares);
    result.codes.push_back(code);
    result.probabilities.push_back(
        code < 0 ? 0.0 : probability(shares, most, labels.names.size(), rule));
  }
  return result;
}

std::string_view to_string(ModelInput input) {
  constexpr std::string_view names[] = {"points", "distances", "affinities"};
  return names[static_cast<std::size_t>(input)];
}

std::optional<ModelInput> model_input_named(std::string_view name) {
  for (const ModelInput input :
       {ModelInput::points, ModelInput::distances, ModelInput::affinities}) {
    if (name == to_string(input)) return input;
  }
  return std::nullopt;
}

}  // namespace geotherm
