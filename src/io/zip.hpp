// Zip archives, as far as .npz files need them: stored and deflated members, zip64.
// In: an open file, or members to write. Out: the directory and each member's bytes, or the
// archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/input_file.hpp"

namespace geotherm::detail {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0: stored, 8: deflated
  std::uint32_t crc = 0;
  std::size_t compressed_size = 0;
  std::size_t size = 0;
  std::size_t header_offset = 0;
};

/// The central directory. Throws IoError for anything that does not fit into the file.
std::vector<ZipMember> read_zip_directory(const InputFile& file);

/// One member's bytes. The announced size is checked against what the file could hold before it
/// is believed, and the checksum when the last byte has been read. `file` must outlive the source.
std::unique_ptr<ByteSource> open_zip_member(const InputFile& file, const ZipMember& member);

/// Writes stored members one after the other; the same members give the same bytes.
class ZipWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Sizes and offsets from `zip64_from` on are written in the 64-bit form; tests lower it.
  explicit ZipWriter(AtomicFile& file, std::uint64_t zip64_from = 0xFFFFFFFF)
      : file_(file), zip64_from_(zip64_from) {}

  /// Calls `produce` twice, for the checksum and for the bytes: it must give the same both times.
  void add(const std::string& name, const std::function<void(const Sink&)>& produce);
  /// Writes the directory. The file is committed by its owner.
  void finish();

 private:
  AtomicFile& file_;
  std::uint64_t zip64_from_;
  std::vector<ZipMember> members_;
};

}  // namespace geotherm::detail
