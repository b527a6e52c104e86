// All pairs, each looked at once and offered to both of its points.
#pragma once

#include <vector>

#include "neighbors/bounds.hpp"
#include "neighbors/lists.hpp"

namespace geotherm::detail {

/// Whether looking once pays: sieves of all points are held at the same time, and of squared
/// measures the product has to cost more than what is read from it.
template <class T>
bool suits_all_pairs(const Space<T>& space);

/// One sieve for each point, with all that may be within `cut`, tightened. Empty where so many tie,
/// or float32 tells so little apart, that the sieves would not fit: then points have to be searched
/// for block by block.
template <class T>
std::vector<Sieve> sift_all_pairs(const Space<T>& space, const PairBounds& bounds, const Cut& cut,
                                  const Context& context);

}  // namespace geotherm::detail
