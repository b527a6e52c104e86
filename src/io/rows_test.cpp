// Files read in blocks of rows: the same values, names and labels as read whole, block by block and
// again from the start; what is not read so, and files that break off.
#include <algorithm>

#include "geotherm/observations.hpp"
#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;
using testing::npy;
using testing::raw;

class Rows : public testing::FolderTest {
 protected:
  /// All rows, `most` at a time.
  static Matrix<double> read(RowBlocks& rows, std::size_t most) {
    std::vector<double> values;
    Matrix<double> block(most, rows.cols());
    rows.rewind();
    std::size_t n_rows = 0;
    for (std::size_t n = most; n == most; n_rows += n) {
      n = rows.next(block);
      values.insert(values.end(), block.data(), block.data() + n * rows.cols());
    }
    EXPECT_EQ(rows.next(block), 0u) << "after the end";
    EXPECT_EQ(rows.rows(), n_rows);
    Matrix<double> all(n_rows, rows.cols());
    std::ranges::copy(values, all.data());
    return all;
  }

  static void expect_as_whole(const std::string& path, const ReadOptions& options = {}) {
    SCOPED_TRACE(path);
    const Observations whole = read_observations(path, options);
    const Matrix<double> expected =
        whole.holds == Holds::sparse_points ? to_dense(whole.sparse) : whole.table.to_double();
    const auto rows = open_rows(path, options);
    ASSERT_TRUE(rows);
    ASSERT_EQ(rows->cols(), whole.cols());
    for (const std::size_t most : {1u, 2u, 5u, 100000u}) {
      const Matrix<double> found = read(*rows, most);
      ASSERT_EQ(found.rows(), expected.rows());
      EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), expected.data()));
    }
    const Observations about = rows->about();
    EXPECT_EQ(about.table.row_names, whole.table.row_names);
    EXPECT_EQ(about.table.column_names, whole.table.column_names);
    EXPECT_EQ(about.table.source, whole.table.source);
    EXPECT_EQ(about.table.assumed, whole.table.assumed);
    EXPECT_EQ(about.labels.name, whole.labels.name);
    EXPECT_EQ(about.labels.values, whole.labels.values);
  }
};

const std::string kSingle = npy("<f4", "(3, 2)", raw<float>({1, 2, 3, 4, 5.5f, 6}));

TEST_F(Rows, ArraysOfNumpyComeAsTheyDoWhole) {
  expect_as_whole(made("f4.npy", kSingle));
  expect_as_whole(made("f8.npy", npy("<f8", "(2, 3)", raw<double>({1, 2, 3, 4, 5, 6}))));
  expect_as_whole(made("i2.npy", npy(">i2", "(3, 1)", std::string("\xFF\xFE\0\7\1\0", 6))));
  expect_as_whole(made("line.npy", npy("<f8", "(3,)", raw<double>({1, 2, 3}))));
  expect_as_whole(made("column.npy", npy("<f8", "(3, 1)", raw<double>({1, 2, 3}), true)));
  for (const bool is_deflated : {false, true}) {
    const std::string path = made("a.npz", testing::zip({{"X.npy", kSingle, is_deflated}}));
    expect_as_whole(path);
    expect_as_whole(path + ":X");
    expect_as_whole(path, {.use = "X"});
  }
}

TEST_F(Rows, TextComesAsItDoesWhole) {
  expect_as_whole(made("plain.csv", "1,2\n3,4\n5,6"));
  expect_as_whole(made("named.csv", "id,a,b,kind\r\np,1,2,x\r\n\"q\",3,4,y z\r\nr,5,6,x\r\n"));
  expect_as_whole(made("some.csv", "id,a,b,kind\np,1,2,x\nq,3,4,y\n"),
                  {.columns = {"b"}, .label_column = "kind"});
  expect_as_whole(made("mark.tsv", "\xEF\xBB\xBF# x y\n1\t2\n3\t4\n\n \n\n"));
  expect_as_whole(made("broken_names.csv", "id,a\n\"p\nq\",1\n\"r \"\"s\"\"\",2\n"));
}

TEST_F(Rows, RecordsRunOverTheWindowsInWhichTextIsRead) {
  // 4 MiB are read at a time: numbers, a name over two lines, and blank lines lie across their
  // ends, wherever these fall in the rows.
  const std::string end = "\n\n  \n\n";
  std::string text = "id,a,b\n";
  for (std::size_t i = 0; text.size() < (std::size_t{9} << 20); ++i) {
    text.append(1, '"').append(i % 97, 'n').append(i % 3 == 0 ? "\n" : "-").append("x\",");
    text.append(std::to_string(i)).append(".25,").append(std::to_string(i * i)).append("\n");
  }
  for (std::size_t shift = 0; shift < 3; ++shift) {
    std::string all(1, '#');
    all.append(37 * shift, 'c').append("\n").append(text).append(end);
    const std::string path = made("long.csv", all);
    const Observations whole = read_observations(path);
    const auto rows = open_rows(path);
    ASSERT_TRUE(rows);
    const Matrix<double> found = read(*rows, 1000), expected = whole.table.to_double();
    ASSERT_EQ(found.rows(), expected.rows());
    EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), expected.data()));
    EXPECT_EQ(rows->about().table.row_names, whole.table.row_names);
  }
}

TEST_F(Rows, TheNumberOfRowsOfTextIsAGuessUntilItIsRead) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1.5,2.25\n";
  const auto rows = open_rows(made("a.csv", text));
  EXPECT_NEAR(static_cast<double>(rows->rows()), 1000, 10);
  EXPECT_NEAR(static_cast<double>(rows->n_bytes()), 16000, 160);
}

TEST_F(Rows, WhatHasNoRowsInOnePieceIsReadWhole) {
  EXPECT_FALSE(open_rows(made("f.npy", npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}), true))));
  EXPECT_FALSE(open_rows(made("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n")));
  write_table(path("a.csv.gz"), Matrix<double>(2, 2), {}, {}, "");
  EXPECT_FALSE(open_rows(path("a.csv.gz")));
  EXPECT_FALSE(open_rows(folder_.string()));
  EXPECT_FALSE(open_rows(made("c.npy", kSingle), {.columns = {"a"}}));
}

TEST_F(Rows, FilesThatBreakOffSaySo) {
  EXPECT_TRUE(
      has(io_error([&] { open_rows(made("a.npy", kSingle.substr(0, kSingle.size() - 3))); }),
          "truncated or damaged"));
  EXPECT_TRUE(has(io_error([&] { open_rows(path("none.npy")); }), "no such file"));
  EXPECT_TRUE(has(io_error([&] { open_rows(made("e.csv", "")); }), "is empty"));
  const auto text = open_rows(made("t.csv", "1,2\n3,4\n5\n"));
  EXPECT_TRUE(has(io_error([&] { read(*text, 10); }), "line 3: has 1 cell"));
  // A table that gets shorter after it was opened.
  std::string large = npy("<f8", "(40000, 2)", std::string(640000, '\1'));
  const auto rows = open_rows(made("l.npy", large));
  std::filesystem::resize_file(path("l.npy"), 300000);
  EXPECT_TRUE(has(io_error([&] { read(*rows, 1000); }), "became shorter while it was read"));
}

TEST_F(Rows, DamagedPackedArraysAreRefusedAtTheLatestAtTheirEnd) {
  std::string bytes = testing::zip({{"X.npy", kSingle, false}});
  bytes[bytes.find("NUMPY") + 80] ^= 1;  // in the values, or in the spaces of the header
  const std::string path = made("a.npz", bytes);
  io_error([&] {
    const auto rows = open_rows(path);
    read(*rows, 2);
  });
}

TEST_F(Rows, DenseMatricesOfH5adComeAsTheyDoWhole) {
  if (!has_hdf5()) GTEST_SKIP() << "this build has no HDF5";
  Matrix<double> values(7, 3);
  for (std::size_t k = 0; k < values.size(); ++k) values.data()[k] = 0.25 * static_cast<double>(k);
  NewH5ad content;
  content.dense = values;
  content.obs_names = {"a", "b", "c", "d", "e", "f", "g"};
  content.var_names = {"x", "y", "z"};
  content.obs = {{"cell_type", std::vector<std::string>{"p", "q", "p", "q", "p", "q", "p"}}};
  write_new_h5ad(path("a.h5ad"), content);
  expect_as_whole(path("a.h5ad"));
  expect_as_whole(path("a.h5ad"), {.use = "X", .label_column = "cell_type"});
}

TEST_F(Rows, SparseMatricesOfH5adComeDenseAsTheyDoWhole) {
  if (!has_hdf5()) GTEST_SKIP() << "this build has no HDF5";
  const SparseMatrix sparse =
      sparse_from_triplets(6, 4, {{0, 1, 2.5}, {0, 3, -1}, {2, 0, 7}, {5, 2, 0.25}, {5, 3, 1}});
  NewH5ad content;
  content.X = &sparse;
  content.obs_names = {"a", "b", "c", "d", "e", "f"};
  content.obs = {{"cell_type", std::vector<std::string>{"p", "q", "p", "q", "p", "q"}}};
  write_new_h5ad(path("s.h5ad"), content);
  expect_as_whole(path("s.h5ad"));
  const auto rows = open_rows(path("s.h5ad"));
  read(*rows, 4);
  EXPECT_FALSE(rows->holds_counts());
  const SparseMatrix counts = sparse_from_triplets(3, 2, {{0, 1, 2}, {1, 0, 3}});
  write_new_h5ad(path("c.h5ad"), {.X = &counts});
  const auto whole_numbers = open_rows(path("c.h5ad"));
  read(*whole_numbers, 2);
  EXPECT_TRUE(whole_numbers->holds_counts());
}

}  // namespace
}  // namespace geotherm
