// A symmetric matrix as the square tiles on and below its diagonal, and products of such.
#pragma once

#include <vector>

#include "geotherm/core.hpp"
#include "heat/block_operator.hpp"

namespace geotherm::detail {

/// Half the memory of the full array, and half the work of a product. Tiles on the diagonal are
/// stored whole.
class SymmetricTiles {
 public:
  explicit SymmetricTiles(std::size_t n);

  std::size_t size() const { return n_; }
  std::size_t n_tiles() const { return n_bands_ * (n_bands_ + 1) / 2; }
  /// Columns first, first + 1, ... from the leading columns of a block with n rows; what lies above
  /// the diagonal is taken from below it. Different columns may be put from different threads;
  /// `first` is a multiple of the block's width.
  void put_columns(std::size_t first, std::size_t n_columns, const Block& block);
  /// Tile number t of this * other, of which both are powers of one matrix, so that the product is
  /// symmetric too; all tiles of both are to be filled and `note_zeros` called before.
  void multiply_tile(std::size_t t, const SymmetricTiles& other, SymmetricTiles& result) const;
  /// Looks up which tiles are wholly 0, so that products can pass over them.
  void note_zeros(const Context&);
  /// Writes tile t and its mirror image to out(node[i], node[j]); what is below `floor` as 0.
  void copy_tile(std::size_t t, std::span<const Index> node, double floor,
                 Matrix<double>& out) const;

 private:
  struct Place {
    std::size_t band;
    std::size_t column;
  };
  Place place(std::size_t t) const;
  std::size_t number(std::size_t band, std::size_t column) const {
    return band * (band + 1) / 2 + column;
  }
  std::size_t extent(std::size_t band) const { return std::min(side_, n_ - band * side_); }
  double* tile(std::size_t t) { return data_.data() + t * side_ * side_; }
  const double* tile(std::size_t t) const { return data_.data() + t * side_ * side_; }

  std::size_t n_ = 0;
  std::size_t n_bands_ = 0;
  std::size_t side_ = 0;
  Matrix<double> data_;
  std::vector<char> is_zero_;
};

}  // namespace geotherm::detail
