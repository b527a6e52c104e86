// Bytes from disk. In: a path, or a window of an open file. Out: bytes, exactly as many as asked
// for, or an IoError that names the path and the system's reason.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::detail {

/// Bytes that come in order and whose number is known beforehand.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `out` with the next `n` bytes; throws IoError where fewer are left.
  virtual void read(void* out, std::size_t n) = 0;
  /// Bytes from the first to the last, whether read or not.
  virtual std::size_t size() const = 0;
  /// Path (and member), for messages.
  virtual const std::string& where() const = 0;
};

/// A regular file, open for reading at any place.
class InputFile {
 public:
  explicit InputFile(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::size_t size() const { return size_; }
  /// All `n` bytes from `offset` on; a range that leaves the file is an IoError.
  void read_at(std::size_t offset, void* out, std::size_t n) const;

 private:
  std::string path_;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

/// The whole of a file as a source.
class FileSource final : public ByteSource {
 public:
  explicit FileSource(const InputFile& file) : file_(file) {}
  void read(void* out, std::size_t n) override;
  std::size_t size() const override { return file_.size(); }
  const std::string& where() const override { return file_.path(); }

 private:
  const InputFile& file_;
  std::size_t position_ = 0;
};

using Bytes = std::vector<char, UninitializedAllocator<char>>;
Bytes read_whole_file(const std::string& path);

/// "No such file or directory" and the like, for a value of errno.
std::string system_reason(int error);

/// "1,234,567", for sizes in messages.
std::string with_commas(std::size_t number);

}  // namespace geotherm::detail
