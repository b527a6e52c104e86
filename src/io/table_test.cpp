// Tables by their ending: out and in again, names and keys, and outputs that appear whole or not.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <limits>

#include "io/atomic_file.hpp"
#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;
using Names = std::vector<std::string>;

class TableFile : public testing::FolderTest {};
class AtomicOutput : public testing::FolderTest {};

Matrix<double> awkward_values() {
  Matrix<double> values(3, 2);
  values(0, 0) = 0.1;
  values(0, 1) = -1.0 / 3;
  values(1, 0) = std::numeric_limits<double>::max();
  values(1, 1) = std::numeric_limits<double>::denorm_min();
  values(2, 0) = -0.0;
  values(2, 1) = 1e22;
  return values;
}

void expect_same_bits(const Matrix<double>& a, const Matrix<double>& b) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.cols(), b.cols());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
}

TEST_F(TableFile, EveryFormatGivesBackTheSameBits) {
  const Matrix<double> values = awkward_values();
  for (const std::string name : {"t.csv", "t.tsv", "t.txt", "t.npy", "t.npz", "T.NPZ"}) {
    write_table(path(name), values, {}, {}, "embedding");
    expect_same_bits(read_table(path(name)).to_double(), values);
  }
  EXPECT_EQ(read_table(path("t.npz")).source, path("t.npz") + ":embedding");
}

TEST_F(TableFile, TextIsWrittenWithIdsAndTheShortestNumbers) {
  write_table(path("t.csv"), awkward_values(), {}, {}, "");
  EXPECT_EQ(content("t.csv"),
            "id,x1,x2\n0,0.1,-0.3333333333333333\n1,1.7976931348623157e+308,5e-324\n2,-0,1e+22\n");
  write_table(path("t.tsv"), awkward_values(), {"a", "b", "c"}, {"u", "v"}, "");
  EXPECT_TRUE(content("t.tsv").starts_with("id\tu\tv\na\t0.1\t"));
}

TEST_F(TableFile, NamesSurviveWhateverTheyHold) {
  const Names rows = {"plain", "with, comma; and \"quotes\"\nand a break", " #blank "};
  const Names columns = {"x,1", "\ty"};
  for (const std::string name : {"t.csv", "t.tsv"}) {
    write_table(path(name), awkward_values(), rows, columns, "");
    const Table table = read_table(path(name));
    EXPECT_EQ(table.row_names, rows);
    EXPECT_EQ(table.column_names, columns);
    expect_same_bits(table.to_double(), awkward_values());
  }
}

TEST_F(TableFile, NumericNamesSurvive) {
  write_table(path("t.csv"), awkward_values(), {"10", "7", "1e5"}, {"0", "1"}, "");
  const Table table = read_table(path("t.csv"));
  EXPECT_EQ(table.row_names, (Names{"10", "7", "1e5"}));
  EXPECT_EQ(table.column_names, (Names{"0", "1"}));
}

TEST_F(TableFile, ViewsWithAStrideAreWrittenByTheirColumns) {
  Matrix<double> wide(2, 3);
  for (std::size_t i = 0; i < 6; ++i) wide.data()[i] = static_cast<double>(i);
  const MatrixView<const double> left{wide.data(), 2, 2, 3};
  for (const std::string name : {"t.csv", "t.npy", "t.npz"}) {
    write_table(path(name), left, {}, {}, "k");
    const Matrix<double> back = read_table(path(name)).to_double();
    ASSERT_EQ(back.cols(), 2u);
    EXPECT_EQ(back(1, 0), 3);
    EXPECT_EQ(back(1, 1), 4);
  }
}

TEST_F(TableFile, NamesMustMatchInNumber) {
  try {
    write_table(path("t.csv"), awkward_values(), {"a"}, {"x", "y", "z"}, "");
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(has(error.what(), "row_names has 1 names for 3 rows"));
    EXPECT_TRUE(has(error.what(), "column_names has 3 names for 2 columns"));
  }
  EXPECT_EQ(n_files(), 0u);
}

TEST_F(TableFile, UnknownEndingsAreRefusedWithTheKnownOnes) {
  const auto write = [&](const std::string& name) {
    return io_error([&] { write_table(path(name), awkward_values(), {}, {}, ""); });
  };
  EXPECT_TRUE(has(write("t.xlsx"), "'.xlsx' is unknown; supported are .csv, .tsv, .txt, .mtx"));
  EXPECT_TRUE(has(write("t"), "the name has no ending; supported are .csv"));
  made("t.docx", "1,2");
  EXPECT_TRUE(has(io_error([&] { read_table(path("t.docx")); }), "cannot be read: the ending"));
  EXPECT_EQ(n_files(), 1u);
}

TEST_F(TableFile, WhatCannotBeOpenedIsNamedWithTheReason) {
  for (const std::string name : {"no.csv", "no.npy", "no.npz", "no.npz:key", "no.xyz"}) {
    EXPECT_TRUE(has(io_error([&] { read_table(path(name)); }), "there is no such file")) << name;
  }
  std::filesystem::create_directory(path("folder.csv"));
  EXPECT_TRUE(has(io_error([&] { read_table(path("folder.csv")); }), "is a folder"));
  EXPECT_TRUE(has(io_error([&] { list_npz("/dev/null"); }), "not a regular file"));
  if (::geteuid() == 0) return;  // nothing is unreadable for the superuser
  made("secret.csv", "1,2\n");
  std::filesystem::permissions(path("secret.csv"), std::filesystem::perms::none);
  EXPECT_TRUE(has(io_error([&] { read_table(path("secret.csv")); }), "Permission denied"));
}

TEST_F(TableFile, KeysAreSplitOffExceptFromNamesOfFiles) {
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(split_key("file.npz:key"), Pair("file.npz", "key"));
  EXPECT_EQ(split_key("dir/FILE.NPZ:a:b"), Pair("dir/FILE.NPZ", "a:b"));
  EXPECT_EQ(split_key("file.npz"), Pair("file.npz", ""));
  EXPECT_EQ(split_key("file.npz:"), Pair("file.npz", ""));
  EXPECT_EQ(split_key("file.csv:key"), Pair("file.csv:key", ""));
  const std::string odd = made("odd.npz:key", "");
  EXPECT_EQ(split_key(odd), Pair(odd, ""));
  EXPECT_EQ(split_key(odd + ".npz:k"), Pair(odd.substr(0, odd.size() - 4), "key.npz:k"));
  const std::string twice = made("a.npz:b.npz", "");
  EXPECT_EQ(split_key(twice + ":c"), Pair(twice, "c"));
}

TEST_F(TableFile, AKeyInThePathNamesTheArrayWritten) {
  write_table(path("t.npz:mine"), awkward_values(), {}, {}, "other");
  EXPECT_EQ(list_npz(path("t.npz")).at(0).name, "mine");
}

TEST_F(TableFile, SingleAndDoublePrecisionBecomeDouble) {
  Table table;
  table.values = Matrix<float>(2, 3, 0.1f);
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.cols(), 3u);
  EXPECT_EQ(table.to_double()(1, 2), static_cast<double>(0.1f));
  EXPECT_EQ(Table{}.rows(), 0u);
}

TEST_F(AtomicOutput, ReplacesAFileAndKeepsItsPermissions) {
  const std::string name = made("a.txt", "old");
  std::filesystem::permissions(name, static_cast<std::filesystem::perms>(0640));
  write_file_atomically(name, "new");
  EXPECT_EQ(content("a.txt"), "new");
  EXPECT_EQ(std::filesystem::status(name).permissions(), static_cast<std::filesystem::perms>(0640));
  EXPECT_EQ(n_files(), 1u);
}

TEST_F(AtomicOutput, FollowsLinksAndLeavesDevicesInPlace) {
  made("target.txt", "old");
  std::filesystem::create_symlink("target.txt", path("link.txt"));
  write_file_atomically(path("link.txt"), "new");
  EXPECT_EQ(content("target.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt")));
  write_file_atomically("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(AtomicOutput, IsNotThereUntilItIsComplete) {
  made("a.txt", "old");
  {
    detail::AtomicFile file(path("a.txt"));
    file.write(std::string(1 << 20, 'x'));
    EXPECT_EQ(content("a.txt"), "old");
  }
  EXPECT_EQ(content("a.txt"), "old");
  EXPECT_EQ(n_files(), 1u);
}

TEST_F(AtomicOutput, LeavesNothingBehindWhereTheDiskRefuses) {
  made("a.csv", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1 << 16, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message =
      io_error([&] { write_table(path("a.csv"), Matrix<double>(50'000, 3, 0.5), {}, {}, ""); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(has(message, path("a.csv") + ": cannot be written: File too large"));
  EXPECT_EQ(content("a.csv"), "old");
  EXPECT_EQ(n_files(), 1u);
}

TEST_F(AtomicOutput, FailuresNameThePathAndTheReason) {
  EXPECT_TRUE(has(io_error([] { write_file_atomically("/dev/full", "x"); }),
                  "/dev/full: cannot be written: No space left on device"));
  const auto write = [](const std::string& name) {
    return io_error([&] { write_file_atomically(name, "x"); });
  };
  EXPECT_TRUE(has(write(path("no/a.txt")), "there is no folder '" + path("no") + "' (create"));
  EXPECT_TRUE(has(write(folder_.string()), "it is a folder"));
  EXPECT_TRUE(has(write(""), "name of the output file is empty"));
  EXPECT_TRUE(has(write(path(std::string(300, 'n'))), "File name too long"));
  EXPECT_EQ(n_files(), 0u);
  if (::geteuid() == 0) return;  // the superuser may write anywhere
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0500));
  EXPECT_TRUE(has(write(path("a.txt")), "does not accept new files: Permission denied"));
  std::filesystem::permissions(folder_, static_cast<std::filesystem::perms>(0700));
}

}  // namespace
}  // namespace geotherm
