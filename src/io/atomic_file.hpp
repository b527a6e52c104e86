// Output that appears whole or not at all. In: a path and bytes in order. Out: the file, once
// commit() is called; before that only a temporary file beside it, removed on any failure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::detail {

class AtomicFile {
 public:
  /// Throws IoError where the folder is missing or cannot be written to. A link is followed, and
  /// a device or pipe (/dev/null) is written to directly, for it must not be replaced.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Bytes written so far.
  std::size_t position() const { return position_; }
  /// The temporary file with all that was written so far, for libraries that write by name; then
  /// commit(). Throws IoError where the output is a device, which cannot be written so.
  const std::string& path_to_finish();
  /// Flushes to the disk and renames into place. Nothing may be written afterwards.
  void commit();

 private:
  void flush();
  void write_through(const char* bytes, std::size_t n);
  [[noreturn]] void fail(int error) const;

  std::string path_;       // as the caller named it, for messages
  std::string target_;     // where it goes, links resolved
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  std::size_t position_ = 0;
  int descriptor_ = -1;
};

}  // namespace geotherm::detail
