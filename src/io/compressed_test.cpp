// Sparse arrays as files hold them: tidy ones pass as they are, untidy ones are put in order, and
// what does not fit is refused with its row.
#include "io/compressed.hpp"

#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;

TEST(CheckedSparse, FallingColumnsAreFineBetweenRowsOnly) {
  const SparseMatrix tidy{5, 4, {0, 0, 2, 2, 4, 5}, {1, 3, 0, 2, 2}, {1, 2, 3, 4, 5}};
  const SparseMatrix same = detail::checked_sparse(tidy, "a");
  EXPECT_EQ(same.indices, tidy.indices);
  EXPECT_EQ(same.values, tidy.values);
  EXPECT_EQ(same.offsets, tidy.offsets);

  // Row 1 is out of order, row 3 names a column twice; an empty row stands before and between.
  const SparseMatrix untidy{5, 4, {0, 0, 2, 2, 4, 5}, {3, 1, 2, 2, 3}, {1, 2, 3, 4, 5}};
  const SparseMatrix sorted = detail::checked_sparse(untidy, "a");
  EXPECT_EQ(sorted.indices, (std::vector<Index>{1, 3, 2, 3}));
  EXPECT_EQ(sorted.values, (std::vector<double>{2, 1, 7, 5}));
  EXPECT_EQ(sorted.offsets, (std::vector<std::size_t>{0, 0, 2, 2, 3, 4}));
}

TEST(CheckedSparse, ARowRepeatedAcrossABoundaryIsNotTakenForAnUntidyOne) {
  // As many falls as boundaries, but not at them: row 0 falls, the boundary rises.
  const SparseMatrix untidy{2, 9, {0, 2, 4}, {5, 1, 6, 7}, {1, 2, 3, 4}};
  EXPECT_EQ(detail::checked_sparse(untidy, "a").indices, (std::vector<Index>{1, 5, 6, 7}));
}

TEST(CheckedSparse, IndicesThatDoNotFitAreRefusedWithTheirRow) {
  const auto refused = [](Index index) {
    return io_error([&] {
      detail::checked_sparse({3, 4, {0, 1, 1, 3}, {0, 2, index}, {1, 2, 3}}, "a.h5ad, X");
    });
  };
  EXPECT_TRUE(has(refused(4), "a.h5ad, X: row 2 names column 4 of 4"));
  EXPECT_TRUE(has(refused(-1), "row 2 names column -1"));
  EXPECT_EQ(detail::checked_sparse({2, 0, {0, 0, 0}, {}, {}}, "a").n_entries(), 0U);
}

}  // namespace
}  // namespace geotherm
