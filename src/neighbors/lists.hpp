// Candidates with their measures -> neighbour lists: the one place where the k-th neighbour, ties
// and reach are decided, shared by all searches.
#pragma once

#include <utility>
#include <vector>

#include "neighbors/space.hpp"

namespace geotherm::detail {

/// How much of the neighbourhood a list keeps.
struct Cut {
  std::size_t knn = 0;
  double reach = 1;
  /// Gets the points in the order in which the search came by them, which is near in space, and
  /// the lists are of the points renumbered so. Null: points keep their numbers.
  std::vector<Index>* order = nullptr;
};

using Candidate = std::pair<double, Index>;  ///< measure (or distance), point

/// Lists of some points in any order, as one block of work leaves them.
struct ListPart {
  std::vector<Index> points;
  std::vector<std::size_t> counts;
  std::vector<Index> indices;
  std::vector<double> distances;

  /// Keeps what `cut` asks for of the candidates (distances; every neighbour that can matter, in
  /// any order, each once) and writes them sorted by distance, then index. Reorders `candidates`.
  void add(Index point, std::vector<Candidate>& candidates, const Cut& cut);
  /// Gives back what growing took beyond the entries: all parts are held until the last is done.
  void trim();
};

/// Puts the parts together in the order of the points, or in their own where `cut` asks for that;
/// each of 0 ... n_points - 1 occurs once.
NeighborLists assemble(std::size_t n_points, const Cut& cut, std::vector<ListPart> parts,
                       const Context& = {});

/// Candidates known within bounds: keeps those that may still be within reach of the k-th nearest.
class Sieve {
 public:
  /// `measured_reach`: as Space has it.
  void reset(std::size_t knn, double measured_reach);
  /// Whoever's lower bound is above this does not matter.
  double limit() const { return limit_; }
  void offer(double lower, double upper, Index point) {
    lower_.push_back({lower, point});
    upper_.push_back(upper);
  }
  /// To be called now and then: lowers the limit and drops what is above, once enough came in.
  void settle() {
    if (lower_.size() >= capacity_) tighten();
  }
  void tighten();
  /// Lower bounds and points, in no order.
  const std::vector<Candidate>& kept() const { return lower_; }

 private:
  std::size_t knn_ = 0;
  double measured_reach_ = 1;
  double limit_ = 0;
  std::size_t capacity_ = 0;
  std::vector<Candidate> lower_;
  std::vector<double> upper_;
  std::vector<double> scratch_;
};

}  // namespace geotherm::detail
