// Lower bounds of the measures that are taken pair by pair, from small copies of the rows in bits,
// bytes or floats: most pairs are ruled out by them before they are measured.
#pragma once

#include <cstdint>
#include <vector>

#include "neighbors/space.hpp"

namespace geotherm::detail {

/// Rows of a space, and what is never above the measure between two of them.
class PairBounds {
 public:
  template <class T>
  explicit PairBounds(const Space<T>& space);

  /// Nothing can be ruled out; `below` must not be called.
  bool is_empty() const { return form_ == Form::none; }
  /// Bounds are the measures themselves, to the bit.
  bool are_measures() const { return form_ <= Form::hamming_bytes; }
  /// No measure whose bound this is lies above it; infinite where bounds are loose.
  double above(double bound) const;
  /// out[k]: between row `query` and rows ids[k], or the rows from `first` on where `ids` is null.
  /// Those up to limits[k] (in the units of the measure) may be looked at more closely.
  void below(std::size_t query, const Index* ids, std::size_t first, std::size_t count,
             const double* limits, double* out) const;

 private:
  enum class Form {
    jaccard_bits,
    hamming_bits,
    hamming_bytes,
    braycurtis_bytes,
    canberra_bytes,
    braycurtis_floats,
    canberra_floats,
    jensen_shannon_floats,
    none
  };
  template <class T>
  void choose(const Space<T>& space);
  template <class T>
  void fill(const Space<T>& space);

  Form form_ = Form::none;
  std::size_t dims_ = 0;
  std::size_t width_ = 0;   ///< words or bytes of a row's copy
  std::size_t float_width_ = 0;
  double scale_ = 1;       ///< of floats
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> floats_;
  std::vector<double> sums_;  ///< of the rows
};

}  // namespace geotherm::detail
