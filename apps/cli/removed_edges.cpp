#include "removed_edges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace geotherm::cli {
namespace {

constexpr double worth_a_warning = 0.05;

std::vector<GroupLoss> losses_of(const std::vector<double>& removed_fraction, const Texts& groups) {
  if (groups.size() != removed_fraction.size()) return {};
  return loss_by_group(removed_fraction, groups);
}

}  // namespace

void warn_of_losses(const std::vector<double>& removed_fraction, const Texts& groups,
                    RunContext& run_context) {
  for (const GroupLoss& loss : losses_of(removed_fraction, groups)) {
    if (loss.mean <= worth_a_warning) continue;
    run_context.warn(fmt::format(
        "shortcut edges: the {} points of '{}' lose {:.1f} % of their weighted degree; compare "
        "with --shortcuts off before reading anything into where they lie",
        loss.n_points, loss.name, 100 * loss.mean));
  }
}

nlohmann::json losses_in_short(const std::vector<double>& removed_fraction, const Texts& groups) {
  if (removed_fraction.empty()) return nullptr;
  const double sum = std::accumulate(removed_fraction.begin(), removed_fraction.end(), 0.0);
  nlohmann::json json = {
      {"mean", sum / static_cast<double>(removed_fraction.size())},
      {"largest", *std::max_element(removed_fraction.begin(), removed_fraction.end())},
      {"points", std::count_if(removed_fraction.begin(), removed_fraction.end(),
                               [](double lost) { return lost > 0; })}};
  for (const GroupLoss& loss : losses_of(removed_fraction, groups)) {
    json["groups"].push_back(
        {{"name", loss.name}, {"n_points", loss.n_points}, {"mean", loss.mean}});
  }
  return json;
}

}  // namespace geotherm::cli
