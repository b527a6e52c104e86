// Files that may be packed by gzip. In: a path, or text to pack. Out: the unpacked bytes, or the
// packed file. What packed bytes claim is believed only as far as they could hold it.
#pragma once

#include <zlib.h>

#include <span>
#include <string>
#include <string_view>

#include "io/atomic_file.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

/// The whole file, unpacked where it begins as gzip files do (of one or several members).
Bytes read_unpacked_file(const std::string& path);

/// One zlib or gzip stream that lies inside a file; `where` begins the messages.
Bytes unpacked_bytes(std::span<const char> packed, const std::string& where);

/// Packs what is written to it into `file`; the same text gives the same bytes.
class GzipWriter {
 public:
  explicit GzipWriter(AtomicFile& file);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  void write(std::string_view bytes) { put(bytes, Z_NO_FLUSH); }
  /// Ends the packed stream. The file is committed by its owner.
  void finish() { put({}, Z_FINISH); }

 private:
  void put(std::string_view bytes, int flush);
  AtomicFile& file_;
  z_stream stream_ = {};
  std::string buffer_;
};

/// Calls `produce(sink)`, where sink has write(std::string_view), packing where the name ends in
/// .gz, and commits.
template <class Produce>
void write_maybe_packed(const std::string& path, const Produce& produce) {
  AtomicFile file(path);
  if (path.ends_with(".gz")) {
    GzipWriter packed(file);
    produce(packed);
    packed.finish();
  } else {
    produce(file);
  }
  file.commit();
}

}  // namespace geotherm::detail
