// Reports of stages -> one share of the whole run, and the time that is left.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace geotherm::cli {

/// Stages come in the order of the pipeline; each has its usual share of the time. What is left out
/// is passed over, what comes again does not lead back: the share never falls.
class WholeProgress {
 public:
  /// A run of several methods, or subsamples: each has the same share.
  void set_parts(std::size_t n_parts) { n_parts_ = n_parts; }
  void next_part();
  /// `of_stage` in [0, 1].
  void report(std::string_view stage, double of_stage, double now_s);
  void finish() { share_ = 1; }

  double share() const { return share_; }
  /// Empty while too little is known. Follows the end it expects slowly, so that it does not jump.
  std::optional<double> seconds_left(double now_s);

 private:
  std::size_t n_parts_ = 1, part_ = 0;
  double of_part_ = 0, share_ = 0;
  std::optional<double> start_s_, end_s_;
};

}  // namespace geotherm::cli
