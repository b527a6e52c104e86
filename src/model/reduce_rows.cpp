// A table that is read in blocks of rows -> the principal components of its distinct rows, and what
// a model has to know of the rows themselves.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/take_rows.hpp"
#include "geotherm/model.hpp"
#include "points/checks.hpp"
#include "methods/stages.hpp"

namespace geotherm {
namespace {

struct KeyHash {
  std::size_t operator()(const RowKey& key) const { return static_cast<std::size_t>(key[0]); }
};

/// The rows of another table without those that equal an earlier one. Which these are is found by
/// their keys the first time through.
class DistinctRows final : public RowBlocks {
 public:
  DistinctRows(RowBlocks& all, const Context& context) : all_(all), context_(context) {}

  std::size_t rows() const override { return is_known_ ? first_.size() : all_.rows(); }
  std::size_t cols() const override { return all_.cols(); }
  void rewind() override {
    all_.rewind();
    at_ = 0;
  }
  std::size_t next(MatrixView<double> out) override {
    std::size_t n_kept = 0;
    while (n_kept < out.rows) {
      const MatrixView<double> free{&out(n_kept, 0), out.rows - n_kept, out.cols, out.stride};
      const std::size_t n = all_.next(free);
      if (!is_known_) look_at({free.data, n, free.cols, free.stride});
      if (at_ + n > unique_inverse_.size()) throw IoError("the table grew while it was read");
      for (std::size_t i = 0; i < n; ++i, ++at_) {
        const auto place = static_cast<std::size_t>(unique_inverse_[at_]);
        if (static_cast<std::size_t>(first_[place]) != at_) continue;
        if (&free(i, 0) != &out(n_kept, 0)) {
          std::copy_n(&free(i, 0), out.cols, &out(n_kept, 0));
        }
        ++n_kept;
      }
      if (n == free.rows) continue;
      is_known_ = true;
      break;
    }
    return n_kept;
  }

  const std::vector<Index>& unique_inverse() const { return unique_inverse_; }
  std::size_t n_distinct() const { return first_.size(); }
  std::vector<RowKey> take_keys() { return std::move(keys_); }

 private:
  void look_at(MatrixView<const double> rows) {
    const std::size_t first = keys_.size();
    if (rows.rows == 0) return;
    detail::require_finite(rows, first);
    detail::require_measurable(rows);
    keys_.resize(first + rows.rows);
    parallel_for(context_, rows.rows, 256, [&](std::size_t begin, std::size_t end) {
      const auto keys =
          row_keys(MatrixView<const double>{&rows(begin, 0), end - begin, rows.cols, rows.stride});
      std::copy(keys.begin(), keys.end(),
                keys_.begin() + static_cast<std::ptrdiff_t>(first + begin));
    });
    for (std::size_t i = first; i < keys_.size(); ++i) {
      const auto [found, is_new] = places_.try_emplace(keys_[i], static_cast<Index>(first_.size()));
      if (is_new) first_.push_back(static_cast<Index>(i));
      unique_inverse_.push_back(found->second);
    }
  }

  RowBlocks& all_;
  const Context& context_;
  std::size_t at_ = 0;     // row of `all_` that comes next
  bool is_known_ = false;  // read to the end once
  std::vector<RowKey> keys_;
  std::vector<Index> first_, unique_inverse_;
  std::unordered_map<RowKey, Index, KeyHash> places_;
};

}  // namespace

ReducedRows reduce_rows(RowBlocks& rows, const PcaOptions& options, const Context& context) {
  DistinctRows distinct(rows, context);
  ReducedRows result;
  result.pca = pca(distinct, options, context);
  result.n_equal = distinct.unique_inverse().size() - distinct.n_distinct();
  if (result.n_equal > 0) {
    result.pca.scores = detail::take_rows<double>(result.pca.scores.view(), distinct.unique_inverse());
  }
  result.keys = distinct.take_keys();
  result.steps.n_columns = rows.cols();
  result.steps.shift = result.pca.mean;
  result.steps.rotation = result.pca.components;
  return result;
}

}  // namespace geotherm
