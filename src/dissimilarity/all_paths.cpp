// Floyd and Warshall by tiles of the upper triangle: the steps of one tile's points at once, so that
// entries are read from caches. Sums commute, so the lower triangle is the transpose to the bit.
#include "dissimilarity/all_paths.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/simd.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t tile = 64;
constexpr std::size_t tile_size = tile * tile;
constexpr std::size_t lanes = 16;  // entries of a row that stay in registers

/// to(i, j) = min(to(i, j), a(i, k) + b(k, j)) over all k.
GEOTHERM_WIDE void lower_tile(double* to, const double* a, const double* b) {
  for (std::size_t i = 0; i < tile; ++i) {
    for (std::size_t first = 0; first < tile; first += lanes) {
      double least[lanes];
      for (std::size_t l = 0; l < lanes; ++l) least[l] = to[i * tile + first + l];
      for (std::size_t k = 0; k < tile; ++k) {
        const double here = a[i * tile + k];
        const double* row = b + k * tile + first;
        for (std::size_t l = 0; l < lanes; ++l) {
          const double sum = here + row[l];
          least[l] = sum < least[l] ? sum : least[l];
        }
      }
      for (std::size_t l = 0; l < lanes; ++l) to[i * tile + first + l] = least[l];
    }
  }
}

/// Paths inside a tile of the diagonal.
void close_tile(double* t) {
  for (std::size_t k = 0; k < tile; ++k) {
    for (std::size_t i = 0; i < tile; ++i) {
      for (std::size_t j = 0; j < tile; ++j) {
        t[i * tile + j] = std::min(t[i * tile + j], t[i * tile + k] + t[k * tile + j]);
      }
    }
  }
}

void transpose(const double* from, double* to) {
  for (std::size_t i = 0; i < tile; ++i) {
    for (std::size_t j = 0; j < tile; ++j) to[j * tile + i] = from[i * tile + j];
  }
}

/// The upper triangle in tiles, filled up with points that nothing reaches.
class Tiles {
 public:
  Tiles(MatrixView<const double> lengths, const Context& context)
      : n_(lengths.rows), n_tiles_((n_ + tile - 1) / tile) {
    entries_.resize(n_tiles_ * (n_tiles_ + 1) / 2 * tile_size);
    parallel_for(context, n_tiles_, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        for (std::size_t column = row; column < n_tiles_; ++column) {
          double* to = at(row, column);
          for (std::size_t e = 0; e < tile_size; ++e) {
            const std::size_t i = row * tile + e / tile, j = column * tile + e % tile;
            const double outside = std::numeric_limits<double>::infinity();
            to[e] = i == j ? 0 : i < n_ && j < n_ ? lengths(i, j) : outside;
          }
        }
      }
    });
  }

  void find_paths(const Context& context) {
    std::vector<double> rows(n_tiles_ * tile_size), columns(rows.size());
    for (std::size_t through = 0; through < n_tiles_; ++through) {
      context.report_or_throw({.stage = "shortest paths", .done = through, .total = n_tiles_});
      double* middle = at(through, through);
      close_tile(middle);
      parallel_for(context, n_tiles_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t j = begin; j < end; ++j) {
          double *row = rows.data() + j * tile_size, *column = columns.data() + j * tile_size;
          if (j < through) {
            transpose(at(j, through), row);
          } else {
            std::copy_n(at(through, j), tile_size, row);
          }
          if (j != through) {
            std::copy_n(row, tile_size, column);
            lower_tile(row, middle, column);
          }
          transpose(row, column);
          if (j < through) {
            std::copy_n(column, tile_size, at(j, through));
          } else {
            std::copy_n(row, tile_size, at(through, j));
          }
        }
      });
      parallel_for(context, n_tiles_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t j = i; j < n_tiles_; ++j) {
            if (i == through || j == through) continue;
            lower_tile(at(i, j), columns.data() + i * tile_size, rows.data() + j * tile_size);
          }
        }
      });
    }
  }

  void write(MatrixView<double> lengths, const Context& context) {
    parallel_for(context, n_, tile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::size_t j = 0; j < n_; ++j) {
          const std::size_t row = std::min(i, j), column = std::max(i, j);
          lengths(i, j) = at(row / tile, column / tile)[row % tile * tile + column % tile];
        }
      }
    });
  }

 private:
  double* at(std::size_t row, std::size_t column) {
    return entries_.data() + (row * n_tiles_ - row * (row + 1) / 2 + column) * tile_size;
  }

  std::size_t n_, n_tiles_;
  std::vector<double> entries_;  ///< tiles by rows, each by its rows
};

}  // namespace

void lower_to_paths(MatrixView<double> lengths, const Context& context) {
  Tiles tiles(lengths, context);
  tiles.find_paths(context);
  tiles.write(lengths, context);
}

}  // namespace geotherm::detail
