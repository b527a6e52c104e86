// Raw counts to components against scanpy (tests/reference/make_single_cell_values.py), and laws.
#include "geotherm/single_cell.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "geotherm/io.hpp"
#include "geotherm/observations.hpp"
#include "test_data.hpp"

namespace geotherm {
namespace {

std::string golden() {
  return std::string(GEOTHERM_SOURCE_DIR) + "/tests/reference/single_cell_values.npz";
}
std::vector<Index> whole_numbers(const std::string& key) {
  const NamedArray array = read_npz_array(golden(), key);
  const auto& values = std::get<std::vector<std::int64_t>>(array.values);
  return {values.begin(), values.end()};
}
std::vector<float> numbers(const std::string& key) {
  return std::get<std::vector<float>>(read_npz_array(golden(), key).values);
}

/// Three groups of cells, each with genes of its own.
SparseMatrix made_counts(std::size_t n = 120, std::size_t n_genes = 60) {
  Rng rng(3, "single_cell_test");
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t g = 0; g < n_genes; ++g) {
      const double rate = g % 3 == i % 3 ? 6 : 1.5;
      const auto count = static_cast<double>(rng.below(static_cast<std::uint64_t>(2 * rate)));
      if (count > 0) entries.push_back({static_cast<Index>(i), static_cast<Index>(g), count});
    }
  }
  return sparse_from_triplets(n, n_genes, std::move(entries));
}
const SingleCellOptions kSmall = {.min_genes = 5, .n_top_genes = 40, .n_components = 5};

TEST(SingleCell, AgreesWithScanpyOnPbmc3k) {
  GEOTHERM_NEEDS_DATA();
  const Observations raw = read_observations(testing::data_dir() + "/pbmc3k_10x");
  ThreadPool pool(2);
  const SingleCellRun run =
      preprocess_single_cell(raw.sparse, raw.table.column_names, {}, {.executor = &pool});
  EXPECT_EQ(static_cast<Index>(run.cells.size()), whole_numbers("n_cells")[0]);
  EXPECT_EQ(run.genes, whole_numbers("genes"));
  std::vector<Index> variable;
  for (const Index g : run.variable) variable.push_back(run.genes[static_cast<std::size_t>(g)]);
  EXPECT_EQ(variable, whole_numbers("variable"));

  // scanpy works in float32: values up to 8 are right to some 1e-6.
  const auto means = numbers("means"), dispersions = numbers("dispersions_norm");
  for (std::size_t g = 0; g < means.size(); ++g) {
    ASSERT_NEAR(run.means[10 * g], means[g], 2e-6);
    ASSERT_NEAR(run.normalized_dispersions[10 * g], dispersions[g], 5e-6);
  }
  const auto sample = whole_numbers("sample"), offsets = whole_numbers("normalized_offsets");
  const auto indices = whole_numbers("normalized_indices");
  const auto values = numbers("normalized_values"), pcs = numbers("pcs");
  const std::size_t rank = run.scores.cols();
  ASSERT_EQ(rank, 50U);
  for (std::size_t s = 0; s < sample.size(); ++s) {
    const auto row = static_cast<std::size_t>(sample[s]);
    const auto got = run.normalized.row_values(row);
    ASSERT_EQ(static_cast<Index>(got.size()), offsets[s + 1] - offsets[s]);
    for (std::size_t k = 0; k < got.size(); ++k) {
      const std::size_t at = static_cast<std::size_t>(offsets[s]) + k;
      ASSERT_EQ(run.normalized.row_indices(row)[k], indices[at]);
      ASSERT_NEAR(got[k], values[at], 2e-6);
    }
  }
  // Components up to sign, to 1e-4 of their size: float32 scaling moves close pairs of them a
  // little within their plane.
  const auto variance = numbers("variance");
  for (std::size_t r = 0; r < rank; ++r) {
    EXPECT_NEAR(run.variance[r], variance[r], 1e-5 * variance[r]) << r;
    double product = 0, largest = 0;
    for (std::size_t s = 0; s < sample.size(); ++s) {
      const double theirs = pcs[s * rank + r];
      product += theirs * run.scores(static_cast<std::size_t>(sample[s]), r);
      largest = std::max(largest, std::abs(theirs));
    }
    for (std::size_t s = 0; s < sample.size(); ++s) {
      const double ours = run.scores(static_cast<std::size_t>(sample[s]), r);
      ASSERT_NEAR(product < 0 ? -ours : ours, pcs[s * rank + r], 1e-4 * largest) << r << " " << s;
    }
  }
}

TEST(SingleCell, TheSameBitsOnAnyNumberOfThreads) {
  const SparseMatrix counts = made_counts(700);
  ThreadPool one(1), four(4);
  const SingleCellRun a = preprocess_single_cell(counts, {}, kSmall, {.executor = &one});
  const SingleCellRun b = preprocess_single_cell(counts, {}, kSmall, {.executor = &four});
  ASSERT_EQ(a.scores.size(), b.scores.size());
  for (std::size_t k = 0; k < a.scores.size(); ++k) {
    ASSERT_EQ(a.scores.data()[k], b.scores.data()[k]);
  }
}

TEST(SingleCell, ScoresAreCentredAndUncorrelatedWithTheVariancesGiven) {
  const SingleCellRun run = preprocess_single_cell(made_counts(), {}, kSmall);
  const auto n = static_cast<double>(run.scores.rows());
  for (std::size_t r = 0; r < run.scores.cols(); ++r) {
    for (std::size_t s = 0; s <= r; ++s) {
      double sum = 0, product = 0;
      for (std::size_t i = 0; i < run.scores.rows(); ++i) {
        sum += run.scores(i, r);
        product += run.scores(i, r) * run.scores(i, s);
      }
      EXPECT_NEAR(sum / n, 0, 1e-9);
      EXPECT_NEAR(product / (n - 1), r == s ? run.variance[r] : 0, 1e-8 * run.variance[0]);
    }
  }
}

TEST(SingleCell, NormalisedRowsSumToTheTarget) {
  const SingleCellRun run = preprocess_single_cell(made_counts(), {}, kSmall);
  for (std::size_t i = 0; i < run.normalized.rows; ++i) {
    double sum = 0;
    for (const double value : run.normalized.row_values(i)) sum += std::expm1(value);
    ASSERT_NEAR(sum, 1e4, 1e-7);
  }
}

TEST(SingleCell, FiltersTakeOutWhatTheySay) {
  SparseMatrix counts = sparse_from_triplets(6, 5,
                                             {{0, 0, 1},
                                              {0, 1, 1},
                                              {0, 2, 3},
                                              {1, 0, 1},
                                              {1, 1, 2},
                                              {1, 2, 1},
                                              {1, 3, 9},
                                              {2, 0, 2},
                                              {2, 1, 1},
                                              {2, 2, 1},
                                              {3, 0, 1},
                                              {4, 1, 5},
                                              {4, 2, 1},
                                              {4, 0, 7}});
  std::vector<std::string> names = {"A", "B", "C", "MT-1", "never"};
  const SingleCellOptions options = {
      .min_genes = 2, .min_cells = 1, .n_top_genes = 3, .n_components = 1};
  const SingleCellRun all = preprocess_single_cell(counts, names, options);
  EXPECT_EQ(all.cells, (std::vector<Index>{0, 1, 2, 4}));
  EXPECT_EQ(all.genes, (std::vector<Index>{0, 1, 2, 3}));
  SingleCellOptions strict = options;
  strict.max_mito = 5;
  EXPECT_EQ(preprocess_single_cell(counts, names, strict).cells, (std::vector<Index>{0, 2, 4}));
}

TEST(SingleCell, WhatIsNoCountIsRefusedOrWarnedOf) {
  SparseMatrix counts = made_counts();
  counts.values[7] = -1;
  EXPECT_THROW(preprocess_single_cell(counts, {}, kSmall), InvalidData);
  counts.values[7] = std::nan("");
  EXPECT_THROW(preprocess_single_cell(counts, {}, kSmall), InvalidData);
  counts.values[7] = 0.5;
  int n_warnings = 0;
  Context context;
  context.on_log = [&](LogLevel level, std::string_view) {
    n_warnings += level == LogLevel::warning;
  };
  preprocess_single_cell(counts, {}, kSmall, context);
  EXPECT_EQ(n_warnings, 1);
  EXPECT_THROW(preprocess_single_cell(made_counts(), {}, {.min_genes = 1000}), InvalidData);
  EXPECT_THROW(preprocess_single_cell(made_counts(), {"one"}, kSmall), InvalidArgument);
}

TEST(SingleCell, EveryInvalidFieldIsNamed) {
  const auto complains = [](const SingleCellOptions& options, const std::string& field) {
    const auto issues = issues_with(options);
    return issues.size() == 1 && issues[0].find(field) != std::string::npos;
  };
  EXPECT_TRUE(issues_with(SingleCellOptions{}).empty());
  EXPECT_TRUE(complains({.max_mito = 0}, "max_mito"));
  EXPECT_TRUE(complains({.target_sum = 0}, "target_sum"));
  EXPECT_TRUE(complains({.n_top_genes = 1}, "n_top_genes"));
  EXPECT_TRUE(complains({.min_mean = 4}, "min_mean"));
  EXPECT_TRUE(complains({.min_dispersion = std::nan("")}, "min_dispersion"));
  EXPECT_TRUE(complains({.max_value = 0}, "max_value"));
  EXPECT_TRUE(complains({.n_components = 0}, "n_components"));
}

}  // namespace
}  // namespace geotherm
