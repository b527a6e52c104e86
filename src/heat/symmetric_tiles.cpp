// Tiles of a symmetric matrix; dense products of tiles in a fixed order, so that the result is the
// same for any number of threads and symmetric to the bit.
#include "heat/symmetric_tiles.hpp"

#include <cmath>

#include "linalg/blas.hpp"

namespace geotherm::detail {
namespace {

// Three tiles of this side fit in a core's second-level cache, and BLAS is at full speed.
constexpr std::size_t wanted_side = 256;

}  // namespace

SymmetricTiles::SymmetricTiles(std::size_t n) : n_(n) {
  n_bands_ = (n + wanted_side - 1) / wanted_side;
  // Evenly cut; a multiple of the block width, so that no block of columns straddles two tiles.
  const std::size_t even = n_bands_ == 0 ? 1 : (n + n_bands_ - 1) / n_bands_;
  side_ = (even + wide_block - 1) / wide_block * wide_block;
  n_bands_ = (n + side_ - 1) / side_;
  data_ = Matrix<double>::uninitialized(n_tiles(), side_ * side_);
  is_zero_.assign(n_tiles(), 0);
}

SymmetricTiles::Place SymmetricTiles::place(std::size_t t) const {
  auto band = static_cast<std::size_t>((std::sqrt(8.0 * static_cast<double>(t) + 1) - 1) / 2);
  while (number(band, 0) > t) --band;
  while (number(band + 1, 0) <= t) ++band;
  return {band, t - number(band, 0)};
}

void SymmetricTiles::put_columns(std::size_t first, std::size_t n_columns, const Block& block) {
  const std::size_t column_band = first / side_;
  const std::size_t offset = first - column_band * side_;
  for (std::size_t band = column_band; band < n_bands_; ++band) {
    double* to = tile(number(band, column_band));
    const std::size_t rows = extent(band);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* from = block.row(band * side_ + i);
      if (band > column_band) {
        std::copy_n(from, n_columns, to + i * side_ + offset);
        continue;
      }
      for (std::size_t c = 0; c < n_columns && offset + c <= i; ++c) {
        to[i * side_ + offset + c] = from[c];
        to[(offset + c) * side_ + i] = from[c];
      }
    }
  }
}

void SymmetricTiles::note_zeros(const Context& context) {
  parallel_for(context, n_tiles(), 1, [&](std::size_t t, std::size_t) {
    const auto [band, column] = place(t);
    const double* values = tile(t);
    bool all_zero = true;
    for (std::size_t i = 0; i < extent(band) && all_zero; ++i) {
      const double* row = values + i * side_;
      all_zero = std::all_of(row, row + extent(column), [](double v) { return v == 0; });
    }
    is_zero_[t] = all_zero ? 1 : 0;
  });
}

void SymmetricTiles::multiply_tile(std::size_t t, const SymmetricTiles& other,
                                   SymmetricTiles& result) const {
  const auto [band, column] = place(t);
  const MatrixView<double> out{result.tile(t), extent(band), extent(column), side_};
  double beta = 0;
  for (std::size_t k = 0; k < n_bands_; ++k) {
    // Above the diagonal the transposed tile stands in.
    const bool flip_left = k > band;
    const bool flip_right = k < column;
    const std::size_t left = flip_left ? number(k, band) : number(band, k);
    const std::size_t right = flip_right ? number(column, k) : number(k, column);
    if (is_zero_[left] != 0 || other.is_zero_[right] != 0) continue;
    const auto view = [&](const double* values, std::size_t rows, std::size_t cols, bool flip) {
      return MatrixView<const double>{values, flip ? cols : rows, flip ? rows : cols, side_};
    };
    const auto a = view(tile(left), extent(band), extent(k), flip_left);
    const auto b = view(other.tile(right), extent(k), extent(column), flip_right);
    gemm(1.0, a, flip_left, b, flip_right, beta, out);
    beta = 1;
  }
  for (std::size_t i = 0; i < out.rows; ++i) {
    if (beta == 0) std::fill_n(out.row(i).data(), out.cols, 0.0);
    if (band != column) continue;
    for (std::size_t j = 0; j < i; ++j) out(j, i) = out(i, j);
  }
}

void SymmetricTiles::copy_tile(std::size_t t, std::span<const Index> node, double floor,
                               Matrix<double>& out) const {
  const auto [band, column] = place(t);
  const double* values = tile(t);
  const auto at = [&](std::size_t position) { return static_cast<std::size_t>(node[position]); };
  const auto cleaned = [&](double v) { return v < floor ? 0.0 : v; };
  for (std::size_t i = 0; i < extent(band); ++i) {
    double* to = out.row(at(band * side_ + i)).data();
    for (std::size_t j = 0; j < extent(column); ++j) {
      to[at(column * side_ + j)] = cleaned(values[i * side_ + j]);
    }
  }
  if (band == column) return;
  for (std::size_t j = 0; j < extent(column); ++j) {
    double* to = out.row(at(column * side_ + j)).data();
    for (std::size_t i = 0; i < extent(band); ++i) {
      to[at(band * side_ + i)] = cleaned(values[i * side_ + j]);
    }
  }
}

}  // namespace geotherm::detail
