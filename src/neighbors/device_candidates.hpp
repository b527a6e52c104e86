// Points in a GPU's memory -> for each, who may be among its nearest.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/device.hpp"

namespace geotherm::detail {

/// Row q of `ids` holds counts[q] candidates in no order; a count above `capacity` says that there
/// was no room, and the row holds nothing of use.
struct DeviceCandidates {
  std::size_t first = 0, count = 0;  ///< queries
  std::size_t capacity = 0;
  std::vector<Index> ids;
  std::vector<int> counts;
};

/// Centred rows (n x dims), about one in size. `loss`: relative error of a product against the sum
/// of the two squared norms. Hands over blocks of queries in order; while one is worked on the next
/// is looked for.
class CandidateSearch {
 public:
  /// `norms`: squared, of the rows.
  CandidateSearch(Device&, MatrixView<const double> rows, std::span<const double> norms,
                  std::size_t knn, double measured_reach, double loss);
  ~CandidateSearch();
  std::size_t block() const;
  /// Begins with the queries from `first` on; comes back before they are answered.
  void start(std::size_t first);
  /// Waits for those that were started last.
  void collect(DeviceCandidates&);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm::detail
