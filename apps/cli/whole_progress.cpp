#include "whole_progress.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace geotherm::cli {
namespace {

using Stage = std::pair<std::string_view, double>;

/// In the order of a run, with per cents of its time as measured on some thousand points.
constexpr Stage maps[] = {
    {"reading rows", 4},
    {"missing values", 2},
    {"normalise", 2},
    {"pca", 4},
    {"smoothing", 3},
    {"neighbours", 10},
    {"graph", 1},
    {"shortcut edges", 4},
    {"components", 1},
    {"walk steps", 3},
    {"landmarks", 6},
    {"heat kernel", 30},
    {"dissimilarity", 5},
    {"shortest paths", 3},
    {"unresolved pairs", 1},
    {"eigenvectors", 4},
    {"classical scaling", 1},
    {"layout", 12},
    {"layout-of-all", 5},
    {"refinement", 20},
    {"clusters", 1},
    {"pseudotime", 2},
    {"milestones", 2},
    {"directed walk", 1},
    {"fates", 1},
    {"trends", 1},
    {"bootstrap", 4},
};
constexpr Stage data[] = {{"synthesis", 1}, {"true distances", 9}};
constexpr Stage scores[] = {{"DEMaP", 2}, {"k-means", 1}, {"interpolation", 2}, {"transport", 2}};
constexpr std::span<const Stage> commands[] = {maps, data, scores};

}  // namespace

void WholeProgress::next_part() {
  part_ = std::min(part_ + 1, n_parts_ - 1);
  of_part_ = 0;
}

void WholeProgress::report(std::string_view stage, double of_stage, double now_s) {
  if (!start_s_) start_s_ = now_s;
  for (const std::span<const Stage> stages : commands) {
    double all = 0, before = -1, own = 0;
    for (const auto& [name, weight] : stages) {
      if (name == stage) before = all, own = weight;
      all += weight;
    }
    if (before >= 0) {
      of_part_ = std::max(of_part_, (before + own * std::clamp(of_stage, 0.0, 1.0)) / all);
    }
  }
  const auto n = static_cast<double>(n_parts_);
  share_ = std::max(share_, (static_cast<double>(part_) + of_part_) / n);
}

std::optional<double> WholeProgress::seconds_left(double now_s) {
  if (!start_s_ || share_ < 0.1 || now_s - *start_s_ < 3) return std::nullopt;
  const double expected = *start_s_ + (now_s - *start_s_) / share_;
  constexpr double inertia = 0.97;  // ten reports per second: about three seconds
  end_s_ = end_s_ ? inertia * *end_s_ + (1 - inertia) * expected : expected;
  return std::max(0.0, *end_s_ - now_s);
}

}  // namespace geotherm::cli
