// NPZ files: arrays in, arrays out, and archives that lie about themselves.
#include <limits>

#include "io/test_files.hpp"
#include "io/zip.hpp"
#include "test_data.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;
using testing::little;
using testing::npy;
using testing::raw;
using testing::RawMember;

class Npz : public testing::FolderTest {
 protected:
  std::string made_zip(const std::vector<RawMember>& members, bool with_descriptors = false) {
    return made("a.npz", testing::zip(members, with_descriptors));
  }
};

const std::string kTable = npy("<f8", "(2, 2)", raw<double>({1, 2, 3, 4}));
const std::string kLabels = npy("<U3", "(2,)", raw<std::uint32_t>({'a', 0xE9, 0x1F600, 'b', 0, 0}));

template <class T>
const std::vector<T>& values_of(const NamedArray& array) {
  return std::get<std::vector<T>>(array.values);
}

TEST_F(Npz, StoredAndDeflatedMembersAreReadWithAndWithoutDescriptors) {
  for (const bool is_deflated : {false, true}) {
    for (const bool with_descriptors : {false, true}) {
      const std::string path = made_zip(
          {{"X.npy", kTable, is_deflated}, {"labels.npy", kLabels, is_deflated}}, with_descriptors);
      const Table table = read_table(path);
      EXPECT_EQ(table.rows(), 2u);
      EXPECT_EQ(table.to_double()(1, 0), 3);
      EXPECT_EQ(table.source, path + ":X");
      EXPECT_TRUE(has(table.assumed, "array 'X' (float64), the only"));
      EXPECT_EQ(read_table(path + ":X").to_double()(1, 1), 4);
      EXPECT_EQ(values_of<std::string>(read_npz_array(path, "labels")),
                (std::vector<std::string>{"a\xC3\xA9\xF0\x9F\x98\x80", "b"}));
    }
  }
}

TEST_F(Npz, ArraysOfEveryKindAreRead) {
  const std::string path =
      made_zip({{"b.npy", npy("|b1", "(2,)", std::string("\0\1", 2))},
                {"i.npy", npy(">i2", "(2,)", std::string("\xFF\xFE\0\7", 4))},
                {"f.npy", npy("<f4", "(1,)", raw<float>({1.5f}))},
                {"s.npy", npy("|S3", "(2,)", std::string("abc\0\0\0", 6))},
                {"u.npy", npy(">U1", "(2,)", std::string("\0\0\0x\0\x11\0\0", 8))},
                {"one.npy", npy("<i8", "()", raw<std::int64_t>({42}))},
                {"none.npy", npy("<f8", "(0, 3)", "")},
                {"f3.npy", npy("<f8", "(2, 1, 2)", raw<double>({1, 3, 2, 4}), true)},
                {"ft.npy", npy("|S1", "(2, 2)", "acbd", true)},
                {"readme.txt", "not an array"}});
  EXPECT_EQ(values_of<std::int64_t>(read_npz_array(path, "b")), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(values_of<std::int64_t>(read_npz_array(path, "i")), (std::vector<std::int64_t>{-2, 7}));
  EXPECT_EQ(values_of<float>(read_npz_array(path, "f")), (std::vector<float>{1.5f}));
  EXPECT_EQ(values_of<std::string>(read_npz_array(path, "s")),
            (std::vector<std::string>{"abc", ""}));
  // U+110000 is no character: it is replaced.
  EXPECT_EQ(values_of<std::string>(read_npz_array(path, "u")),
            (std::vector<std::string>{"x", "\xEF\xBF\xBD"}));
  EXPECT_EQ(values_of<std::int64_t>(read_npz_array(path, "one.npy")),
            (std::vector<std::int64_t>{42}));
  EXPECT_TRUE(read_npz_array(path, "one").shape.empty());
  EXPECT_TRUE(values_of<double>(read_npz_array(path, "none")).empty());
  EXPECT_EQ(values_of<double>(read_npz_array(path, "f3")), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(values_of<std::string>(read_npz_array(path, "ft")),
            (std::vector<std::string>{"a", "b", "c", "d"}));
  const auto infos = list_npz(path);
  ASSERT_EQ(infos.size(), 9u);
  EXPECT_EQ(infos[1].name, "i");
  EXPECT_EQ(infos[1].dtype, ">i2");
  EXPECT_TRUE(infos[1].is_numeric);
  EXPECT_FALSE(infos[3].is_numeric);
  EXPECT_EQ(infos[7].shape, (std::vector<std::size_t>{2, 1, 2}));
}

TEST_F(Npz, UnsignedIntegersBeyondTheSignedRangeAreRefused) {
  const std::string path =
      made_zip({{"u.npy", npy("<u8", "(1,)", raw<std::uint64_t>({std::uint64_t{1} << 63}))}});
  EXPECT_TRUE(has(io_error([&] { read_npz_array(path, "u"); }), "save it as float64"));
  EXPECT_EQ(read_table(path + ":u").to_double()(0, 0), 0x1p63);
}

TEST_F(Npz, TheArrayMeantMustBeClear) {
  const std::string path = made_zip({{"A.npy", kTable},
                                     {"B.npy", kTable},
                                     {"text.npy", kLabels},
                                     {"o.npy", npy("|O", "(3,)", "?")}});
  const std::string two = io_error([&] { read_table(path); });
  EXPECT_TRUE(has(two, "holds 2 two-dimensional numeric arrays"));
  EXPECT_TRUE(has(two, "give " + path +
                           ":KEY, one of:\n  A  <f8  2 x 2\n  B  <f8  2 x 2\n"
                           "  text  <U3  2\n  o  |O  3"));
  const std::string wrong = io_error([&] { read_table(path + ":C"); });
  EXPECT_TRUE(has(wrong, "no array 'C'; give " + path + ":KEY, one of:\n  A"));
  EXPECT_TRUE(has(io_error([&] { read_npz_array(path, "o"); }), path + ":o: holds Python objects"));
  EXPECT_TRUE(has(io_error([&] { read_table(path + ":text"); }), "text where numbers"));
  const std::string none = io_error([&] { read_table(made_zip({{"text.npy", kLabels}})); });
  EXPECT_TRUE(has(none, "holds no two-dimensional"));
  EXPECT_TRUE(has(io_error([&] { read_table(made_zip({})); }), "holds no arrays"));
}

TEST_F(Npz, EqualNamesAreRefused) {
  const std::string path = made_zip({{"A.npy", kTable}, {"A.npy", kTable}});
  EXPECT_TRUE(has(io_error([&] { list_npz(path); }), "two arrays named 'A'"));
}

TEST_F(Npz, DamageIsFoundByTheChecksum) {
  for (const bool is_deflated : {false, true}) {
    std::string bytes = testing::zip({{"X.npy", kTable, is_deflated}});
    const std::size_t crc_in_directory = bytes.find("PK\1\2") + 16;
    bytes[crc_in_directory] ^= 1;
    const std::string path = made("a.npz", bytes);
    EXPECT_TRUE(has(io_error([&] { read_table(path); }), path + ":X: is damaged: its checksum"));
  }
}

TEST_F(Npz, SizesInTheDirectoryAreHeldAgainstTheFile) {
  const auto with_sizes = [&](bool is_deflated, std::uint64_t compressed, std::uint64_t size) {
    std::string bytes = testing::zip({{"X.npy", kTable, is_deflated}});
    const std::size_t entry = bytes.find("PK\1\2");
    const std::size_t there = is_deflated ? testing::deflated(kTable).size() : kTable.size();
    bytes.replace(entry + 20, 8, little(compressed == 0 ? there : compressed, 4) + little(size, 4));
    return io_error([&] { read_table(made("a.npz", bytes)); });
  };
  EXPECT_TRUE(has(with_sizes(true, 0, 4'000'000'000), "announces 4,000,000,000 bytes"));
  EXPECT_TRUE(has(with_sizes(false, 4'000'000'000, 4'000'000'000), "announces 4,000,000,000"));
  EXPECT_TRUE(has(with_sizes(false, 0, 4'000'000'000), "cannot hold"));
  EXPECT_TRUE(has(with_sizes(true, 0, kTable.size() + 1), "announces 32 bytes of data"));
  EXPECT_TRUE(has(with_sizes(true, 5, kTable.size()), "ends too early"));
}

TEST_F(Npz, EncryptedAndExoticMembersAreRefused) {
  std::string bytes = testing::zip({{"X.npy", kTable}});
  const std::size_t entry = bytes.find("PK\1\2");
  std::string encrypted = bytes, exotic = bytes;
  encrypted[entry + 8] = 1;
  exotic[entry + 10] = 12;
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.npz", encrypted)); }), "encrypted"));
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.npz", exotic)); }), "method 12"));
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.npz", "no zip at all, but long enough")); }),
                  "directory at its end is missing"));
  EXPECT_TRUE(has(io_error([&] { read_table(made("a.npz", "PK")); }), "only 2 bytes"));
}

TEST_F(Npz, WhatIsWrittenIsReadBack) {
  const std::vector<NamedArray> arrays = {
      {"d", {2, 3}, std::vector<double>{1, 2, 3, 4, 5, std::numeric_limits<double>::denorm_min()}},
      {"f", {2}, std::vector<float>{1.5f, -2}},
      {"i", {}, std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()}},
      {"t", {3}, std::vector<std::string>{"", "z\xC3\xBCrich", "\xF0\x9F\x98\x80"}},
      {"\xCE\xB1", {0}, std::vector<double>{}}};
  write_npz(path("a.npz"), arrays);
  const auto infos = list_npz(path("a.npz"));
  ASSERT_EQ(infos.size(), arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const NamedArray back = read_npz_array(path("a.npz"), arrays[i].name);
    EXPECT_EQ(back.name, arrays[i].name);
    EXPECT_EQ(back.shape, arrays[i].shape);
    EXPECT_EQ(back.values, arrays[i].values);
  }
  EXPECT_EQ(infos[3].dtype, "<U6");
  write_npz(path("b.npz"), arrays);
  EXPECT_EQ(content("a.npz"), content("b.npz"));
}

TEST_F(Npz, ArraysThatContradictThemselvesAreNotWritten) {
  const std::vector<NamedArray> arrays = {{"a", {3}, std::vector<double>{1, 2}},
                                          {"a", {1}, std::vector<double>{1}},
                                          {"", {1}, std::vector<double>{1}}};
  try {
    write_npz(path("a.npz"), arrays);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(has(error.what(), "array 'a' has 2 values, but its shape is 3"));
    EXPECT_TRUE(has(error.what(), "two arrays are named 'a'"));
    EXPECT_TRUE(has(error.what(), "has no name"));
  }
  EXPECT_EQ(n_files(), 0u);
}

TEST_F(Npz, TheLargeFormOfZipIsReadBack) {
  // With the limit lowered, members of a few bytes take the form meant for 4 GB.
  const std::string name = path("large.npz");
  {
    detail::AtomicFile file(name);
    detail::ZipWriter zip(file, 100);
    zip.add("A.npy", [](const detail::ZipWriter::Sink& sink) { sink(kTable); });
    zip.add("B.npy", [](const detail::ZipWriter::Sink& sink) { sink(kLabels.substr(0, 50)); });
    zip.add("C.npy", [](const detail::ZipWriter::Sink& sink) { sink(kTable); });
    zip.finish();
    file.commit();
  }
  const detail::InputFile file(name);
  const auto members = detail::read_zip_directory(file);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[1].size, 50u);
  for (const std::size_t i : {0u, 2u}) {
    const auto source = detail::open_zip_member(file, members[i]);
    std::string bytes(source->size(), '\0');
    source->read(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, kTable);
  }
  EXPECT_TRUE(has(content("large.npz"), "PK\6\6"));
}

TEST_F(Npz, RealFilesAreRead) {
  GEOTHERM_NEEDS_DATA();
  const std::string data = testing::data_dir() + "/";
  const Table mnist = read_table(data + "mnist_70k_pca50.npz");
  EXPECT_EQ(mnist.rows(), 70'000u);
  EXPECT_EQ(mnist.cols(), 50u);
  EXPECT_TRUE(std::holds_alternative<Matrix<float>>(mnist.values));
  const Table counts = read_table(data + "cbmc_citeseq_8617x500.npz");
  EXPECT_EQ(counts.rows(), 8617u);
  EXPECT_TRUE(std::holds_alternative<Matrix<double>>(counts.values));
  const NamedArray types = read_npz_array(data + "pbmc3k_processed_pca50_small.npz", "louvain");
  EXPECT_EQ(values_of<std::string>(types).size(), 2638u);
  EXPECT_TRUE(has(io_error([&] { read_npz_array(data + "weinreb_781_pca50.npz", "state"); }),
                  "without objects"));
}

TEST_F(Npz, ReferenceValuesAreRead) {
  const std::string golden = testing::golden_dir() + "/swiss100.npz";
  EXPECT_EQ(read_table(golden + ":X").rows(), 100u);
  EXPECT_EQ(values_of<std::int64_t>(read_npz_array(golden, "knn")), (std::vector<std::int64_t>{8}));
}

}  // namespace
}  // namespace geotherm
