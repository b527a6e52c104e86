// What the tests of this module share: a folder that goes away with the test, and files made by
// hand.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "geotherm/io.hpp"

namespace geotherm::testing {

class FolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("geotherm-" + std::string(info->test_suite_name()) + "-" + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file and returns its path.
  std::string made(const std::string& name, std::string_view content) const {
    // Some file systems flush a file that is emptied and written again, which takes long.
    std::filesystem::remove(path(name));
    std::ofstream(path(name), std::ios::binary).write(content.data(), std::ssize(content));
    return path(name);
  }
  std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t n_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

/// The message of the IoError that `act` throws; anything else fails the test.
template <class Act>
std::string io_error(Act act) {
  try {
    act();
  } catch (const IoError& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw something else: " << error.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

inline ::testing::AssertionResult has(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

inline std::string little(std::uint64_t value, int n_bytes) {
  std::string bytes;
  for (int i = 0; i < n_bytes; ++i)
    bytes += static_cast<char>(i < 8 ? (value >> (8 * i)) & 0xFF : 0);
  return bytes;
}

/// The bytes of values as they lie in memory.
template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string npy_with_header(const std::string& dictionary, const std::string& data,
                                   int major = 1) {
  const std::string length = little(dictionary.size(), major == 1 ? 2 : 4);
  return "\x93NUMPY" + std::string(1, static_cast<char>(major)) + std::string(1, '\0') + length +
         dictionary + data;
}

inline std::string npy(const std::string& dtype, const std::string& shape, const std::string& data,
                       bool is_fortran = false) {
  return npy_with_header("{'descr': '" + dtype + "', 'fortran_order': " +
                             (is_fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n",
                         data);
}

struct RawMember {
  std::string name;
  std::string content;
  bool is_deflated = false;
};

inline std::string deflated(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(content.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::uint32_t crc_of(const std::string& content) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

/// An archive as numpy writes it. With descriptors, the local headers leave the sizes empty.
inline std::string zip(const std::vector<RawMember>& members, bool with_descriptors = false) {
  std::string bytes, directory;
  for (const RawMember& member : members) {
    const std::string data = member.is_deflated ? deflated(member.content) : member.content;
    const std::string flags = little(with_descriptors ? 8 : 0, 2);
    const std::string method = little(member.is_deflated ? 8 : 0, 2);
    const std::string crc = little(crc_of(member.content), 4);
    const std::string sizes = little(data.size(), 4) + little(member.content.size(), 4);
    const std::string name_size = little(member.name.size(), 2);
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + flags + method + little(0, 4) + crc +
                 sizes + name_size + little(0, 12) + little(bytes.size(), 4) + member.name;
    bytes += "PK\3\4" + little(20, 2) + flags + method + little(0, 4) +
             (with_descriptors ? little(0, 12) : crc + sizes) + name_size + little(0, 2) +
             member.name + data;
    if (with_descriptors) bytes += "PK\7\10" + crc + sizes;
  }
  const std::string count = little(members.size(), 2);
  const std::string end = "PK\5\6" + little(0, 4) + count + count + little(directory.size(), 4) +
                          little(bytes.size(), 4) + little(0, 2);
  return bytes + directory + end;
}

}  // namespace geotherm::testing
