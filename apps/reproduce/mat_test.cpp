// .mat files as scipy writes them (tests/reference/io), and what damaged ones give.
#include "mat.hpp"

#include <gtest/gtest.h>

#include "io/test_files.hpp"

namespace geotherm {
namespace {

using testing::FolderTest;
class Mat : public FolderTest {};

std::string reference(const char* name) {
  return std::string(GEOTHERM_SOURCE_DIR "/tests/reference/io/") + name;
}
std::vector<double> values_of(const NamedArray& array) {
  return std::get<std::vector<double>>(array.values);
}

TEST_F(Mat, ArraysOfEveryTypeAreReadInRows) {
  for (const char* file : {"plain.mat", "packed.mat"}) {
    const NamedArray data = read_mat_array(reference(file), "data");
    EXPECT_EQ(data.shape, (std::vector<std::size_t>{3, 2}));
    EXPECT_EQ(values_of(data), (std::vector<double>{1.5, -2, 3, 4.25, 5, 6})) << file;
    // Stored as small integers, in an element of its own short form.
    const NamedArray time = read_mat_array(reference(file), "data_time");
    EXPECT_EQ(time.shape, (std::vector<std::size_t>{1, 3}));
    EXPECT_EQ(values_of(time), (std::vector<double>{0, 1, 12})) << file;
    EXPECT_EQ(values_of(read_mat_array(reference(file), "single")), (std::vector<double>{0.5}));
  }
}

TEST_F(Mat, WhatIsNotThereOrNoNumbersIsNamed) {
  const auto message = [&](const char* name) -> std::string {
    try {
      read_mat_array(reference("plain.mat"), name);
    } catch (const IoError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(message("nothing").find("it has: data"), std::string::npos) << message("nothing");
  EXPECT_NE(message("words").find("no full array"), std::string::npos) << message("words");
  EXPECT_THROW(read_mat_array(made("a.mat", "no such thing"), "data"), IoError);
  EXPECT_THROW(read_mat_array(path("absent.mat"), "data"), IoError);
}

TEST_F(Mat, SizesBelowZeroAreRefused) {
  std::ifstream in(reference("plain.mat"), std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  // Their product fits the values all the same.
  const std::string sizes = testing::raw(std::vector<std::int32_t>{3, 2});
  const std::size_t at = bytes.find(sizes);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, sizes.size(), testing::raw(std::vector<std::int32_t>{-3, -2}));
  EXPECT_THROW(read_mat_array(made("a.mat", bytes), "data"), IoError);
}

TEST_F(Mat, CutOrChangedFilesGiveAnErrorAndNothingWorse) {
  for (const char* file : {"plain.mat", "packed.mat"}) {
    std::ifstream in(reference(file), std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    ASSERT_GT(whole.size(), 200u);
    for (std::size_t n = 0; n < whole.size(); n += 7) {
      for (const bool is_cut : {true, false}) {
        std::string damaged = is_cut ? whole.substr(0, n) : whole;
        if (!is_cut) damaged[n] = static_cast<char>(damaged[n] ^ 0x55);
        try {
          read_mat_array(made("damaged.mat", damaged), "data");
        } catch (const IoError&) {
        }
      }
    }
  }
}

}  // namespace
}  // namespace geotherm
