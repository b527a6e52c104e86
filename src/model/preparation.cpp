// Rows as they are given -> rows as the training points were treated; and the keys of rows.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/simd.hpp"
#include "geotherm/model.hpp"

namespace geotherm {
namespace {

constexpr std::size_t n_lanes = 8;

// Eight sums side by side in a fixed order, so that the compiler may use wide registers and the
// bits are the same for every row of every batch.
GEOTHERM_WIDE double dot(const double* a, const double* b, std::size_t n) {
  double lanes[n_lanes] = {};
  const std::size_t whole = n - n % n_lanes;
  for (std::size_t c = 0; c < whole; c += n_lanes) {
    for (std::size_t l = 0; l < n_lanes; ++l) lanes[l] += a[c + l] * b[c + l];
  }
  double rest = 0;
  for (std::size_t c = whole; c < n; ++c) rest += a[c] * b[c];
  return (((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
          ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]))) +
         rest;
}

void log_normalize_row(std::vector<double>& row, double target, std::span<const Index> counted,
                       std::size_t number) {
  double sum = 0;
  for (const double x : row) {
    if (x < 0) {
      throw InvalidData("row " + std::to_string(number) + " has the negative entry " +
                        std::to_string(x) + ": the model was made from counts");
    }
    sum += x;
  }
  if (!counted.empty()) {
    sum = 0;
    for (const Index c : counted) sum += row[static_cast<std::size_t>(c)];
  }
  for (double& x : row) x = sum > 0 ? std::log1p(x / sum * target) : 0.0;
}

void prepare_row(const Preparation& steps, std::size_t number, std::vector<double>& row,
                 std::span<double> out) {
  if (steps.asinh_by) {
    for (double& x : row) x = std::asinh(x / *steps.asinh_by);
  }
  if (steps.target_sum) log_normalize_row(row, *steps.target_sum, steps.counted, number);
  if (!steps.columns.empty()) {
    std::vector<double> kept;
    kept.reserve(steps.columns.size());
    for (const Index c : steps.columns) kept.push_back(row[static_cast<std::size_t>(c)]);
    row = std::move(kept);
  }
  for (std::size_t c = 0; c < steps.shift.size(); ++c) row[c] -= steps.shift[c];
  for (std::size_t c = 0; c < steps.scale.size(); ++c) row[c] *= steps.scale[c];
  if (steps.clip) {
    for (double& x : row) x = std::clamp(x, -*steps.clip, *steps.clip);
  }
  if (steps.rotation.empty()) {
    std::copy(row.begin(), row.end(), out.begin());
    return;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    out[k] = dot(steps.rotation.row(k).data(), row.data(), row.size());
    if (!steps.offset.empty()) out[k] -= steps.offset[k];
  }
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t bits) {
  hash = std::rotl(hash ^ bits, 27) * 0x9fb21c651e98df25ULL;
  return hash ^ (hash >> 32);
}

template <class T>
std::vector<RowKey> keys_of(MatrixView<const T> rows) {
  std::vector<RowKey> keys(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    RowKey key = {0x9e3779b97f4a7c15ULL, 0xd1b54a32d192ed03ULL};
    for (const T value : rows.row(i)) {
      const double x = static_cast<double>(value);
      const auto bits = std::bit_cast<std::uint64_t>(x == 0 ? 0.0 : x);
      key[0] = mixed(key[0], bits);
      key[1] = mixed(key[1], std::rotl(bits, 31) + key[1]);
    }
    keys[i] = key;
  }
  return keys;
}

}  // namespace

std::size_t Preparation::n_out() const {
  if (!rotation.empty()) return rotation.rows();
  return columns.empty() ? n_columns : columns.size();
}

bool Preparation::is_empty() const {
  return !asinh_by && !target_sum && !clip && columns.empty() && shift.empty() && scale.empty() &&
         rotation.empty();
}

Matrix<double> prepare(const Preparation& steps, MatrixView<const double> rows,
                       const Context& context) {
  if (rows.cols != steps.n_columns) {
    throw InvalidArgument("the rows have " + std::to_string(rows.cols) + " columns: give the " +
                          std::to_string(steps.n_columns) + " of the training points");
  }
  auto out = Matrix<double>::uninitialized(rows.rows, steps.n_out());
  parallel_for(context, rows.rows, 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row;
    for (std::size_t i = begin; i < end; ++i) {
      row.assign(rows.row(i).begin(), rows.row(i).end());
      prepare_row(steps, i, row, out.row(i));
    }
  });
  return out;
}

std::vector<RowKey> row_keys(MatrixView<const double> rows) { return keys_of(rows); }
std::vector<RowKey> row_keys(MatrixView<const float> rows) { return keys_of(rows); }

}  // namespace geotherm
