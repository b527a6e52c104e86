// NPY files made by hand, byte by byte: every type, order and version, and every way to lie.
#include "io/npy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::has;
using testing::io_error;
using testing::npy;
using testing::npy_with_header;
using testing::raw;

class Npy : public testing::FolderTest {
 protected:
  Table read(const std::string& bytes) { return read_table(made("a.npy", bytes)); }
  std::string error(const std::string& bytes) {
    return io_error([&] { read(bytes); });
  }
};

template <class T>
std::string swapped(const std::vector<T>& values) {
  std::string bytes = raw(values);
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  }
  return bytes;
}

void expect_values(const Table& table, const std::vector<double>& values) {
  const Matrix<double> matrix = table.to_double();
  ASSERT_EQ(matrix.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(matrix.data()[i], values[i]) << i;
}

template <class T>
class NpyOfType : public Npy {
 protected:
  static std::string dtype() {
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return std::string(1, kind) + std::to_string(sizeof(T));
  }
};
using Types = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(NpyOfType, Types);

TYPED_TEST(NpyOfType, IsReadInBothByteOrdersAndLayouts) {
  const TypeParam low = std::numeric_limits<TypeParam>::lowest();
  const TypeParam high = std::numeric_limits<TypeParam>::max();
  const std::vector<TypeParam> c_order = {low, 2, 3, 4, 5, high};
  const std::vector<TypeParam> f_order = {low, 4, 2, 5, 3, high};
  const std::vector<double> values = {static_cast<double>(low), 2, 3, 4, 5,
                                      static_cast<double>(high)};
  const std::string type = this->dtype();
  for (const Table& table : {this->read(npy("<" + type, "(2, 3)", raw(c_order))),
                             this->read(npy(">" + type, "(2, 3)", swapped(c_order))),
                             this->read(npy("<" + type, "(2, 3)", raw(f_order), true)),
                             this->read(npy(">" + type, "(2, 3)", swapped(f_order), true))}) {
    EXPECT_EQ(table.rows(), 2u);
    EXPECT_EQ(table.cols(), 3u);
    expect_values(table, values);
    EXPECT_EQ(std::holds_alternative<Matrix<float>>(table.values),
              (std::is_same_v<TypeParam, float>));
  }
}

TEST_F(Npy, BooleansAreZeroAndOne) {
  expect_values(read(npy("|b1", "(4, 1)", std::string("\0\1\7\0", 4))), {0, 1, 1, 0});
}

TEST_F(Npy, HalfPrecisionIsReadExactly) {
  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x7BFF, 0x0001, 0x83FF,
                                             0x0400, 0x7C00, 0xFC00, 0x8000, 0x3555};
  const double inf = std::numeric_limits<double>::infinity();
  const Table table = read(npy("<f2", "(10,)", raw(halves)));
  EXPECT_TRUE(std::holds_alternative<Matrix<float>>(table.values));
  expect_values(table, {1, -2, 65504, std::ldexp(1, -24), -std::ldexp(1023, -24),
                        std::ldexp(1, -14), inf, -inf, -0.0, 0.333251953125});
  const Table nan = read(npy(">f2", "(1,)", swapped(std::vector<std::uint16_t>{0x7E00})));
  EXPECT_TRUE(std::isnan(nan.to_double()(0, 0)));
}

TEST_F(Npy, OneDimensionBecomesOneColumn) {
  const Table table = read(npy("<f8", "(3,)", raw<double>({1, 2, 3})));
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.cols(), 1u);
  EXPECT_EQ(table.assumed, "float64, read as one column");
}

TEST_F(Npy, OtherNumbersOfDimensionsAreRefused) {
  EXPECT_TRUE(has(error(npy("<f8", "()", raw<double>({1}))), "0 dimensions (one value)"));
  EXPECT_TRUE(has(error(npy("<f8", "(1, 2, 1)", raw<double>({1, 2}))), "3 dimensions (1 x 2 x 1)"));
  EXPECT_TRUE(has(error(npy("<f8", "(0, 2)", "")), "no values (0 x 2)"));
}

TEST_F(Npy, AllThreeVersionsAreRead) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  for (const int major : {1, 2, 3}) {
    expect_values(read(npy_with_header(header, raw<double>({7, 8}), major)), {7, 8});
  }
  for (const int major : {0, 4, 147}) {
    EXPECT_TRUE(has(error(npy_with_header(header, raw<double>({7, 8}), major)), "version"));
  }
}

TEST_F(Npy, HeadersAreReadHoweverTheyAreSpaced) {
  const std::string data = raw<double>({7, 8});
  for (const std::string header :
       {"{\"shape\":(1,2),\"descr\":\"<f8\",\"fortran_order\":False}",
        "  {'fortran_order' :False , 'shape' : ( 1L , 2L , ) , 'descr' : '<f8' ,}  \n \n",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (1, 2)}"}) {
    expect_values(read(npy_with_header(header, data)), {7, 8});
  }
}

TEST_F(Npy, HeadersThatMakeNoSenseAreRefused) {
  const std::string data = raw<double>({7, 8});
  for (const std::string header :
       {"", "{", "{}", "[]", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False}",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, -2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
        "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr: <f8, 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': __import__('os'), 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': [('a', '<f8'), 'fortran_order': False, 'shape': (1, 2)}"}) {
    EXPECT_TRUE(has(error(npy_with_header(header, data)), "header cannot be understood")) << header;
  }
}

TEST_F(Npy, SizesAreHeldAgainstTheFileBeforeMemoryIsTaken) {
  const std::string data = raw<double>({7, 8});
  const std::string two_gigabytes = error(npy("<f8", "(25000, 10000)", data));
  EXPECT_TRUE(has(two_gigabytes, "announces 2,000,000,000 bytes"));
  EXPECT_TRUE(has(two_gigabytes, "the file holds 16"));
  EXPECT_TRUE(has(error(npy("<f8", "(4294967296, 4294967296)", data)), "far too many"));
  EXPECT_TRUE(has(error(npy("<f8", "(2305843009213693953, 1)", data)), "far too many"));
  EXPECT_TRUE(has(error(npy("<f8", "(1, 1)", data)), "several arrays in one file"));
  EXPECT_TRUE(has(error(npy("<f8", "(1, 2)", data.substr(0, 13))), "truncated"));
}

TEST_F(Npy, BrokenStartsAreRefused) {
  const std::string whole = npy("<f8", "(1, 2)", raw<double>({7, 8}));
  EXPECT_TRUE(has(error(""), "is empty"));
  EXPECT_TRUE(has(error("hello, hello"), "does not start with the mark"));
  EXPECT_TRUE(has(error(whole.substr(0, 40)), "is the file complete"));
  std::string long_header = whole;
  long_header[9] = '\x7F';
  EXPECT_TRUE(has(error(long_header), "header announces"));
}

TEST_F(Npy, TypesThatAreNoNumbersAreRefusedWithARemedy) {
  EXPECT_TRUE(has(error(npy("|O", "(1, 1)", "pickle")), "without objects"));
  EXPECT_TRUE(has(error(npy("<c16", "(1, 1)", raw<double>({1, 2}))), "complex"));
  EXPECT_TRUE(has(error(npy("<U2", "(1, 1)", std::string(8, '\0'))), "text where numbers"));
  EXPECT_TRUE(has(error(npy("<M8[s]", "(1, 1)", std::string(8, '\0'))), "<M8[s]"));
  EXPECT_TRUE(has(error(npy("<f16", "(1, 1)", std::string(16, '\0'))), "<f16"));
  EXPECT_TRUE(has(error(npy("<i3", "(1, 1)", std::string(3, '\0'))), "<i3"));
  const std::string record = npy_with_header(
      "{'descr': [('a', '<f8', (2,)), ('b]', '<i4')], 'fortran_order': False,"
      " 'shape': (1,)}",
      std::string(20, '\0'));
  EXPECT_TRUE(has(error(record), "[('a', '<f8', (2,)), ('b]', '<i4')]"));
}

TEST(NpyHeader, IsWrittenAsNumpyWritesIt) {
  const std::string header = detail::npy_header_bytes("<f8", {10, 3});
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\1\0\x76\0", 10));
  EXPECT_TRUE(has(header, "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 3), }"));
  EXPECT_EQ(header.back(), '\n');
  EXPECT_TRUE(has(detail::npy_header_bytes("<i8", {5}), "'shape': (5,), }"));
  EXPECT_TRUE(has(detail::npy_header_bytes("<i8", {}), "'shape': (), }"));
}

}  // namespace
}  // namespace geotherm
