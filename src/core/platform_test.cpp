#include "core/platform.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <limits>

namespace geotherm::detail::platform {
namespace {

class PlatformFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto name = "geotherm-platform-" + std::to_string(process_id());
    folder_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  void write(const std::string& path, const std::string& text) const {
    const int file = create_file(path);
    ASSERT_GE(file, 0);
    EXPECT_EQ(write_some(file, text.data(), text.size()), static_cast<std::ptrdiff_t>(text.size()));
    EXPECT_TRUE(flush_to_disk(file));
    EXPECT_EQ(close_file(file), 0);
  }

  std::filesystem::path folder_;
};

TEST_F(PlatformFiles, KindSizeAndReasonAreTold) {
  write(path("a"), "twelve bytes");
  EXPECT_EQ(status_of(path("a")).kind, FileKind::regular);
  EXPECT_EQ(status_of(path("a")).size, 12U);
  EXPECT_EQ(status_of(folder_.string()).kind, FileKind::folder);
  EXPECT_EQ(status_of(path("none")).kind, FileKind::absent);
  EXPECT_EQ(status_of(path("none")).error, ENOENT);
  EXPECT_EQ(status_of(-1).error, EBADF);
}

TEST_F(PlatformFiles, ReadsAtAnyPlaceAndSaysWhereTheFileEnds) {
  write(path("a"), "0123456789");
  const int file = open_to_read(path("a"));
  char bytes[4] = {};
  EXPECT_EQ(read_at(file, bytes, 4, 3), 4);
  EXPECT_EQ(std::string(bytes, 4), "3456");
  EXPECT_EQ(read_at(file, bytes, 4, 8), 2);
  EXPECT_EQ(read_at(file, bytes, 4, 10), 0);
  EXPECT_EQ(close_file(file), 0);
  EXPECT_EQ(read_at(file, bytes, 4, 0), -1);
}

TEST_F(PlatformFiles, NeverCreatesOverAFileAndReplacesOnlyOnRequest) {
  write(path("a"), "old");
  EXPECT_LT(create_file(path("a")), 0);
  EXPECT_EQ(errno, EEXIST);
  write(path("b"), "newer");
  EXPECT_TRUE(replace_file(path("b"), path("a")));
  EXPECT_EQ(status_of(path("a")).size, 5U);
  EXPECT_EQ(status_of(path("b")).error, ENOENT);
  EXPECT_FALSE(replace_file(path("b"), path("a")));
}

TEST_F(PlatformFiles, OpeningWhatIsNotThereFailsWithAReason) {
  EXPECT_LT(open_to_read(path("none")), 0);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(open_to_write(path("none")), 0);
  EXPECT_FALSE(may_write(path("none")));
  EXPECT_TRUE(may_write(folder_.string()));
}

TEST(Platform, MemoryAndCoresArePlausible) {
  EXPECT_GT(physical_memory(), std::size_t{1} << 26U);
  EXPECT_GT(peak_memory(), std::uint64_t{1} << 20U);
  EXPECT_LE(peak_memory(), physical_memory());
  EXPECT_LT(n_usable_cores(), 100'000U);
  EXPECT_TRUE(can_map(1 << 20));
  if (address_space_limit() != std::numeric_limits<std::uint64_t>::max()) {
    EXPECT_FALSE(can_map(static_cast<std::size_t>(address_space_limit())));
  }
}

TEST(Platform, KnowsItsOwnProgram) {
  const std::string program = path_of_program();
  EXPECT_TRUE(program.empty() || std::filesystem::exists(program)) << program;
}

TEST(Platform, AProgramThatIsNotThereReturnsWithAReason) {
  become_program("no-such-program-of-geotherm", {"--version"});
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace geotherm::detail::platform
