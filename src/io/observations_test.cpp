// Files made by the tools that own their formats (tests/reference/make_io_files.py), read to the
// bit; what we write, read back; files damaged on purpose.
#include "geotherm/observations.hpp"

#include <cmath>
#include <filesystem>

#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;

std::string made_by_others(const std::string& name) {
  return std::string(GEOTHERM_SOURCE_DIR) + "/tests/reference/io/" + name;
}

Matrix<double> expected(const std::string& key) {
  return read_table(made_by_others("expected.npz") + ":" + key).to_double();
}

Matrix<double> dense_of(const Observations& observations) {
  return densified(observations).to_double();
}

template <class T>
void expect_equal(const Matrix<double>& got, const Matrix<T>& wanted) {
  ASSERT_EQ(got.rows(), wanted.rows());
  ASSERT_EQ(got.cols(), wanted.cols());
  for (std::size_t i = 0; i < got.rows(); ++i) {
    for (std::size_t j = 0; j < got.cols(); ++j)
      ASSERT_EQ(got(i, j), wanted(i, j)) << i << " " << j;
  }
}

Matrix<double> single(const Matrix<double>& values) {
  Matrix<double> result = values;
  for (std::size_t k = 0; k < result.size(); ++k) {
    result.data()[k] = static_cast<double>(static_cast<float>(result.data()[k]));
  }
  return result;
}

Matrix<double> columns_of(const Matrix<double>& values, std::size_t from, std::size_t to) {
  Matrix<double> result(values.rows(), to - from);
  for (std::size_t i = 0; i < values.rows(); ++i) {
    for (std::size_t j = from; j < to; ++j) result(i, j - from) = values(i, j);
  }
  return result;
}

using Names = std::vector<std::string>;
const Names kTypes = {"T", "B", "T", "NK", "NA", "B", "T", "NK", "B"};

#define NEEDS_HDF5() \
  if (!has_hdf5()) GTEST_SKIP() << "SKIPPED: built without HDF5"

class ForeignFile : public testing::FolderTest {};

TEST_F(ForeignFile, H5adGivesEveryMatrixToTheBit) {
  NEEDS_HDF5();
  const std::string file = made_by_others("whole.h5ad");
  const Matrix<double> dense = expected("dense"), counts = expected("counts");
  const auto read = [&](const std::string& use) { return read_observations(file, {.use = use}); };
  expect_equal(dense_of(read("")), single(columns_of(dense, 0, 3)));
  expect_equal(dense_of(read("X")), counts);
  expect_equal(dense_of(read("raw")), counts);
  expect_equal(dense_of(read("layer:double")), dense);
  expect_equal(dense_of(read("layer:csc")), counts);
  expect_equal(dense_of(read("obsm:X_scVI")), columns_of(dense, 2, 4));
  expect_equal(dense_of(read("X_scVI")), columns_of(dense, 2, 4));
  const Observations graph = read("obsp:connectivities");
  EXPECT_EQ(graph.holds, Holds::affinities);
  expect_equal(to_dense(graph.sparse), expected("connectivities"));
  EXPECT_EQ(read("obsp:distances").holds, Holds::sparse_distances);
  EXPECT_EQ(read("X").holds, Holds::sparse_points);
  EXPECT_TRUE(has(read("").table.assumed, "obsm['X_pca'] (the default"));
}

TEST_F(ForeignFile, H5adNamesAndDenseAndColumnwiseXAreRead) {
  NEEDS_HDF5();
  const Observations dense = read_observations(made_by_others("dense.h5ad"));
  expect_equal(dense_of(dense), single(expected("dense")));
  EXPECT_TRUE(std::holds_alternative<Matrix<float>>(dense.table.values));
  EXPECT_EQ(dense.table.row_names[8], "cell-8");
  EXPECT_EQ(dense.table.column_names[5], "gene µ5");
  EXPECT_TRUE(has(dense.table.assumed, "there is no obsm['X_pca']"));
  expect_equal(dense_of(read_observations(made_by_others("csc.h5ad"))), expected("counts"));
}

TEST_F(ForeignFile, H5adColumnsOfEveryKindAreRead) {
  NEEDS_HDF5();
  const std::string file = made_by_others("whole.h5ad");
  EXPECT_EQ(list_h5ad_columns(file),
            (Names{"cell_type", "day", "score", "count", "kept", "maybe", "note"}));
  const auto texts = [&](const char* name) {
    return std::get<Texts>(read_h5ad_column(file, name).values).to_vector();
  };
  const auto numbers = [&](const char* name) {
    return std::get<std::vector<double>>(read_h5ad_column(file, name).values);
  };
  EXPECT_EQ(texts("cell_type"), kTypes);
  EXPECT_EQ(texts("day")[1], "2");
  EXPECT_EQ(texts("kept")[0], "True");
  EXPECT_EQ(texts("note")[3], "free text 3");
  EXPECT_EQ(numbers("score")[4], expected("score")(4, 0));
  EXPECT_EQ(numbers("count")[7], 7);
  EXPECT_TRUE(std::isnan(numbers("maybe")[1]));
  EXPECT_EQ(numbers("maybe")[2], 3);
  EXPECT_TRUE(has(io_error([&] { read_h5ad_column(file, "typo"); }), "it has cell_type, day"));
  const Observations guessed = read_observations(file);
  EXPECT_EQ(guessed.labels.name, "cell_type");
  EXPECT_EQ(std::get<Texts>(guessed.labels.values).to_vector(), kTypes);
  EXPECT_EQ(read_observations(file, {.label_column = "score"}).labels.size(), 9U);
}

TEST_F(ForeignFile, WhatAnH5adDoesNotHoldIsRefusedWithWhatItHolds) {
  NEEDS_HDF5();
  const std::string file = made_by_others("whole.h5ad");
  for (const char* use : {"obsm:X_nope", "layer:", "obsp:nope", "nope"}) {
    const std::string message = io_error([&] { read_observations(file, {.use = use}); });
    EXPECT_TRUE(has(message, use));
    EXPECT_TRUE(has(message, "obsm:X_scVI"));
    EXPECT_TRUE(has(message, "layer:double"));
  }
  EXPECT_TRUE(has(io_error([&] { read_observations(made_by_others("lzf.h5ad")); }), "lzf"));
  EXPECT_TRUE(has(io_error([&] { read_observations(made_by_others("tenx_v3.h5") + "ad"); }),
                  "no such file"));
  EXPECT_TRUE(has(io_error([&] { read_observations(made("a.h5ad", "no HDF5 at all")); }),
                  "not an HDF5 file"));
}

TEST_F(ForeignFile, NothingOutsideTheFileIsReadOrWritten) {
  NEEDS_HDF5();
  const std::string file = made_by_others("outward.h5ad");
  for (const char* use : {"X", "layer:soft", "obsm:X_pca"}) {
    EXPECT_TRUE(has(io_error([&] { read_observations(file, {.use = use}); }), "does not hold"));
  }
  for (const char* use : {"layer:raw", "layer:virtual"}) {
    EXPECT_TRUE(has(io_error([&] { read_observations(file, {.use = use}); }), "in other files"));
  }
  const Matrix<double> map(9, 2);
  EXPECT_TRUE(
      has(io_error([&] { write_into_h5ad(file, path("a.h5ad"), {.obsm = {{"X_map", map}}}); }),
          "is a link"));
  EXPECT_EQ(n_files(), 0U);
}

TEST_F(ForeignFile, TenxFilesAndFoldersOfBothVersionsAgree) {
  const Matrix<double> counts = expected("counts");
  Names names = {"tenx_v2", "tenx_v3"};
  if (has_hdf5()) names.insert(names.end(), {"tenx_v2.h5", "tenx_v3.h5"});
  for (const std::string& name : names) {
    const Observations read = read_observations(made_by_others(name));
    // Version 3 says which features are genes; antibodies are left out.
    const bool is_new = name.starts_with("tenx_v3");
    expect_equal(dense_of(read), is_new ? columns_of(counts, 0, 4) : counts);
    EXPECT_EQ(read.holds, Holds::sparse_points);
    EXPECT_EQ(read.table.row_names[2], "cell-2");
    EXPECT_EQ(read.table.column_names[3], "G3");
    EXPECT_EQ(read.column_ids[3], "ENSG3");
    EXPECT_EQ(read.table.column_names.size(), is_new ? 4U : 6U);
    EXPECT_EQ(static_cast<bool>(has(read.table.assumed, "2 features of other types left out")),
              is_new);
  }
}

TEST_F(ForeignFile, MatrixMarketOfEveryKindIsRead) {
  const Matrix<double> counts = expected("counts");
  const auto read = [](const char* name) {
    return dense_of(read_observations(made_by_others(name)));
  };
  expect_equal(read("general.mtx"), counts);
  expect_equal(read("array.mtx"), expected("dense"));
  expect_equal(read("symmetric.mtx"), expected("symmetric"));
  expect_equal(read("skew.mtx"), expected("skew"));
  Matrix<double> pattern = counts;
  for (std::size_t k = 0; k < pattern.size(); ++k) pattern.data()[k] = pattern.data()[k] != 0;
  expect_equal(read("pattern.mtx"), pattern);
}

TEST_F(ForeignFile, AMatrixMarketArrayWithoutRowsMayNotClaimEndlessColumns) {
  const std::string file =
      made("a.mtx", "%%MatrixMarket matrix array real general\n0 1000000000000\n");
  EXPECT_TRUE(has(io_error([&] { read_observations(file); }), "more than a file of its size"));
}

TEST_F(ForeignFile, PackedTextWithLabelsIsRead) {
  const Matrix<double> dense = expected("dense");
  const Observations packed = read_observations(made_by_others("labelled.csv.gz"));
  expect_equal(dense_of(packed), dense);
  EXPECT_EQ(packed.table.row_names[1], "cell-1");
  EXPECT_EQ(packed.table.column_names, (Names{"x0", "x1", "x2", "x3", "x4", "x5"}));
  EXPECT_EQ(packed.labels.name, "species");
  EXPECT_EQ(std::get<Texts>(packed.labels.values).to_vector()[1], "virginica, old");
  EXPECT_TRUE(has(packed.table.assumed, "text not used: comment"));
  const Observations tabbed = read_observations(made_by_others("labelled.tsv"));
  expect_equal(dense_of(tabbed), dense);
  const Observations chosen = read_observations(
      made_by_others("labelled.tsv"), {.columns = {"x2", "x1"}, .label_column = "comment"});
  Matrix<double> turned(9, 2);
  for (std::size_t i = 0; i < 9; ++i) turned(i, 0) = dense(i, 2), turned(i, 1) = dense(i, 1);
  expect_equal(dense_of(chosen), turned);
  EXPECT_EQ(std::get<Texts>(chosen.labels.values).to_vector()[8], "row 8");
}

TEST_F(ForeignFile, FlowCytometryIsReadToTheBit) {
  const Observations flow = read_observations(made_by_others("flow.fcs"));
  expect_equal(dense_of(flow), single(expected("dense")));
  EXPECT_EQ(flow.table.column_names, (Names{"CD3", "CD4", "CD8", "CD19", "CD45", "Time"}));
  const Observations some =
      read_observations(made_by_others("flow.fcs"), {.columns = {"CD8", "CD3"}});
  EXPECT_EQ(some.cols(), 2U);
  EXPECT_TRUE(
      has(io_error([] { read_observations(made_by_others("flow.fcs"), {.columns = {"CD9"}}); }),
          "CD45"));
}

class OwnFile : public testing::FolderTest {};

TEST_F(OwnFile, EveryTableFormatIsReadBackAsItWasWritten) {
  const Matrix<double> dense = expected("dense");
  for (const char* name : {"a.csv", "a.csv.gz", "a.tsv.gz", "a.mtx", "a.mtx.gz", "a.npy"}) {
    write_table(path(name), dense, {}, {}, "");
    expect_equal(read_table(path(name)).to_double(), dense);
  }
  write_table(path("a.fcs"), dense, {}, {"a/b", "c", "d", "e", "f", "g"}, "");
  const Table flow = read_table(path("a.fcs"));
  expect_equal(flow.to_double(), single(dense));
  EXPECT_EQ(flow.column_names[0], "a/b");
  write_table(path("b.csv.gz"), dense, {}, {}, "");
  EXPECT_EQ(content("a.csv.gz"), content("b.csv.gz")) << "the same table gives the same bytes";
  if (!has_hdf5()) return;
  write_table(path("a.h5ad"), dense, {}, {}, "");
  expect_equal(read_table(path("a.h5ad")).to_double(), dense);
}

TEST_F(OwnFile, ResultsGoIntoACopyAndLeaveTheRestAlone) {
  NEEDS_HDF5();
  const std::string source = made_by_others("whole.h5ad");
  const Matrix<double> map = columns_of(expected("dense"), 1, 3);
  H5adResults results;
  results.obsm = {{"X_heatgeo", map.view()}, {"X_pca", map.view()}};
  results.uns = {{"manifest", "{}"}};
  write_into_h5ad(source, path("copy.h5ad"), results);
  const auto read = [&](const std::string& use) {
    return dense_of(read_observations(path("copy.h5ad"), {.use = use}));
  };
  expect_equal(read("obsm:X_heatgeo"), map);
  expect_equal(read("obsm:X_pca"), map);
  expect_equal(read("layer:double"), expected("dense"));
  // Once more, in place, over what is there now.
  write_into_h5ad(path("copy.h5ad"), path("copy.h5ad"), results);
  expect_equal(read("obsm:X_heatgeo"), map);
  EXPECT_EQ(n_files(), 1U) << "nothing temporary is left";
  const Matrix<double> short_map(3, 2);
  results.obsm = {{"X_heatgeo", short_map.view()}};
  EXPECT_THROW(write_into_h5ad(source, path("no.h5ad"), results), InvalidArgument);
  EXPECT_EQ(n_files(), 1U);
}

TEST_F(OwnFile, ANewH5adKeepsMatricesNamesAndColumns) {
  NEEDS_HDF5();
  const Observations tenx = read_observations(made_by_others("tenx_v2"));
  const Matrix<double> map = columns_of(expected("dense"), 0, 2);
  NewH5ad content;
  content.X = &tenx.sparse;
  content.counts = &tenx.sparse;
  content.obs_names = tenx.table.row_names;
  content.var_names = tenx.table.column_names;
  content.obs = {{"kind", kTypes}, {"score", std::vector<double>(9, 0.5)}};
  content.var = {{"is", Names{"True", "False", "True", "True", "False", "True"}}};
  content.results.obsm = {{"X_heatgeo", map.view()}};
  write_new_h5ad(path("new.h5ad"), content);
  const Observations x = read_observations(path("new.h5ad"), {.use = "X"});
  expect_equal(dense_of(x), expected("counts"));
  EXPECT_EQ(x.table.row_names, tenx.table.row_names);
  EXPECT_EQ(x.table.column_names, tenx.table.column_names);
  EXPECT_EQ(x.labels.name, "kind");
  EXPECT_EQ(std::get<Texts>(x.labels.values).to_vector(), kTypes);
  expect_equal(dense_of(read_observations(path("new.h5ad"), {.use = "layer:counts"})),
               expected("counts"));
}

TEST_F(OwnFile, CountsGoOutAndComeBackAsTenxKeepsThem) {
  const Observations tenx = read_observations(made_by_others("tenx_v2"));
  const TenxCounts counts{tenx.sparse, tenx.table.row_names, tenx.table.column_names,
                          tenx.column_ids};
  Names names = {"folder", "slash/"};
  if (has_hdf5()) names.push_back("file.h5");
  for (const std::string& name : names) {
    write_tenx(path(name), counts);
    const Observations back = read_observations(path(name));
    expect_equal(dense_of(back), expected("counts"));
    EXPECT_EQ(back.table.row_names, tenx.table.row_names);
    EXPECT_EQ(back.table.column_names, tenx.table.column_names);
    EXPECT_EQ(back.column_ids, tenx.column_ids);
  }
  EXPECT_EQ(n_files(), names.size()) << "nothing temporary is left";
  EXPECT_TRUE(has(io_error([&] { write_tenx(path("folder"), counts); }), "is there already"));
  EXPECT_TRUE(has(io_error([&] { write_tenx(path("none/folder"), counts); }), "cannot be made"));
  EXPECT_THROW(write_tenx(path("b"), {tenx.sparse, {"one"}}), InvalidArgument);

  // Other than whole numbers keep every digit, and names may be left out.
  SparseMatrix halves = tenx.sparse;
  for (double& value : halves.values) value = value / 3;
  for (std::string& name : names) {
    name = "third_" + name;
    write_tenx(path(name), {halves});
    const Observations back = read_observations(path(name));
    EXPECT_EQ(back.sparse.values, halves.values);
    EXPECT_EQ(back.table.column_names.back(), "5");
  }
}

TEST_F(OwnFile, AMatrixOfManyPiecesComesBackWhole) {
  NEEDS_HDF5();
  // More entries than are read at a time, twice over.
  SparseMatrix matrix;
  matrix.rows = 3000;
  matrix.cols = 100;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t j = i % 7; j < 100; ++j) {
      matrix.indices.push_back(static_cast<Index>(j));
      matrix.values.push_back(static_cast<double>(i * 100 + j));
    }
    matrix.offsets.push_back(matrix.indices.size());
  }
  NewH5ad content;
  content.X = &matrix;
  write_new_h5ad(path("large.h5ad"), content);
  const Observations read = read_observations(path("large.h5ad"), {.use = "X"});
  EXPECT_EQ(read.sparse.offsets, matrix.offsets);
  EXPECT_EQ(read.sparse.indices, matrix.indices);
  EXPECT_EQ(read.sparse.values, matrix.values);
}

TEST_F(OwnFile, LongNamesOfGroupsAreKeptOnce) {
  if (!has_hdf5()) GTEST_SKIP() << "SKIPPED: built without HDF5";
  const std::string long_name(100000, 'x');
  Names kinds;
  for (int i = 0; i < 3000; ++i) kinds.push_back(long_name + (i % 2 == 0 ? "a" : "b"));
  const Matrix<double> points(3000, 2, 1.0);
  NewH5ad content;
  content.dense = points.view();
  content.obs = {{"kind", kinds}};
  write_new_h5ad(path("long.h5ad"), content);
  EXPECT_LT(std::filesystem::file_size(path("long.h5ad")), 3000000U);
  const Observations read = read_observations(path("long.h5ad"), {.use = "X"});
  const auto& labels = std::get<Texts>(read.labels.values);
  EXPECT_TRUE(labels == kinds);
  EXPECT_LE(labels.names().size(), 3U);  // and one for missing values
}

TEST_F(OwnFile, TextColumnsNeedAPatternAndOthersStayFaults) {
  const auto read = [&](std::string_view text) { return read_observations(made("a.csv", text)); };
  const Observations labelled = read("x,y,kind\n1,2,a\n3,4,\"b, c\"\n");
  EXPECT_EQ(labelled.cols(), 2U);
  EXPECT_EQ(std::get<Texts>(labelled.labels.values).to_vector(), (Names{"a", "b, c"}));
  EXPECT_TRUE(has(io_error([&] { read("x,y,kind\n1,2,a\n3,4,5\n"); }), "line 2, column 3"));
  EXPECT_TRUE(has(io_error([&] { read("x,y\n1,2\n3,oops\n"); }), "'oops' is not a number"));
  EXPECT_TRUE(has(io_error([&] { read("u,v\na,b\nc,d\n"); }), "no column of numbers"));
  const auto named = [&](ReadOptions options) {
    return io_error([&] { read_observations(path("a.csv"), options); });
  };
  made("a.csv", "x,y,kind\n1,2,a\n3,4,b\n");
  EXPECT_TRUE(has(named({.columns = {"z"}}), "it has x, y, kind"));
  EXPECT_TRUE(has(named({.columns = {"x", "x"}}), "twice"));
  EXPECT_TRUE(has(named({.label_column = "z"}), "`label_column`"));
  EXPECT_TRUE(has(named({.columns = {"kind"}}), "is not a number"));
}

TEST_F(OwnFile, UnreadableFormatsSayWhatToDo) {
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.parquet", "PAR1")); }), "pandas.read_parquet"));
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.npy.gz", "x")); }), "gunzip it first"));
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.csv.gz", "1,2\n")); }), "no gzip file"));
  EXPECT_TRUE(has(io_error([&] { read_table(folder_.string()); }), "without matrix.mtx"));
  EXPECT_THROW(read_observations(made("a.csv", "1,2\n3,4\n"), {.use = "X"}), InvalidArgument);
}

TEST_F(OwnFile, SizesThatAFileCannotHoldAreNotBelieved) {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  const auto refused = [&](const std::string& text) {
    return io_error([&] { read_table(made("a.mtx", text)); });
  };
  EXPECT_TRUE(has(refused(banner + "2000000000 2000000000 1\n1 1 1\n"), "claims"));
  EXPECT_TRUE(has(refused(banner + "3 3 999999999999\n1 1 1\n"), "too short"));
  EXPECT_TRUE(has(refused(banner + "3 3 2\n1 1 1\n"), "cut short"));
  EXPECT_TRUE(has(refused(banner + "3 3 1\n4 1 1\n"), "row 4 of 3"));
  EXPECT_TRUE(has(refused("%%MatrixMarket matrix array real general\n100000000 100000000\n1\n"),
                  "too short"));
}

}  // namespace
}  // namespace geotherm
