#include "points/table_source.hpp"

#include <algorithm>
#include <string>

namespace geotherm::detail {
namespace {

/// Numbers in a slab: 32 MiB of them are enough work for many threads.
constexpr std::size_t slab_size = std::size_t{1} << 22;

std::size_t slab_rows(std::size_t unit, std::size_t cols) {
  const std::size_t fitting = slab_size / std::max<std::size_t>(cols, 1);
  return std::max<std::size_t>(fitting / unit, 1) * unit;
}

}  // namespace

std::size_t TableSource::rows() const {
  return blocks != nullptr ? blocks->rows() : std::max(wide.rows, narrow.rows);
}

std::size_t TableSource::cols() const {
  return blocks != nullptr ? blocks->cols() : std::max(wide.cols, narrow.cols);
}

const double* TableSource::row(std::size_t i, std::vector<double>& scratch) const {
  if (wide.data != nullptr) return wide.row(i).data();
  const auto values = narrow.row(i);
  scratch.assign(values.begin(), values.end());
  return scratch.data();
}

void for_each_slab(
    const TableSource& source, std::size_t unit, const Context& context,
    const std::function<void(MatrixView<const double> slab, std::size_t first)>& use) {
  if (source.wide.data != nullptr) return use(source.wide, 0);
  const std::size_t most = slab_rows(unit, source.cols());
  if (source.blocks == nullptr) {
    const MatrixView<const float>& points = source.narrow;
    auto slab = Matrix<double>::uninitialized(std::min(most, points.rows), points.cols);
    for (std::size_t first = 0; first < points.rows; first += most) {
      const std::size_t n = std::min(most, points.rows - first);
      parallel_for(context, n, 256, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const auto row = points.row(first + i);
          std::copy(row.begin(), row.end(), slab.row(i).begin());
        }
      });
      use({slab.data(), n, points.cols, points.cols}, first);
    }
    return;
  }
  RowBlocks& rows = *source.blocks;
  auto slab = Matrix<double>::uninitialized(most, rows.cols());
  rows.rewind();
  for (std::size_t first = 0;;) {
    context.report_or_throw({.stage = "reading rows", .done = first, .total = rows.rows()});
    const std::size_t n = rows.next(slab.view());
    if (n > 0) use({slab.data(), n, rows.cols(), rows.cols()}, first);
    first += n;
    if (n == most) continue;
    if (first == rows.rows()) return;
    throw IoError("the table changed while it was read: it had " + std::to_string(rows.rows()) +
                  " rows, and now " + std::to_string(first));
  }
}

}  // namespace geotherm::detail
