// Reading zip archives. Every offset and size in the file is a claim; none is used before it has
// been held against the size of the file.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/zip.hpp"

namespace geotherm::detail {
namespace {

constexpr std::size_t kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20;
constexpr std::size_t kEntrySize = 46, kLocalSize = 30;
constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50;
constexpr std::uint32_t kLocatorMark = 0x07064b50;
constexpr std::uint32_t kEntryMark = 0x02014b50, kLocalMark = 0x04034b50;

[[noreturn]] void damaged(const InputFile& file, const std::string& what) {
  throw IoError(file.path() + ": is not a sound zip archive: " + what +
                " (is the file complete? copy or save it again)");
}

// Little-endian fields of a record whose length the caller has checked.
template <class T>
T field(const unsigned char* bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return static_cast<T>(value);
}
std::uint16_t field16(const unsigned char* bytes) { return field<std::uint16_t>(bytes); }
std::uint32_t field32(const unsigned char* bytes) { return field<std::uint32_t>(bytes); }
std::uint64_t field64(const unsigned char* bytes) { return field<std::uint64_t>(bytes); }

// How a user names a member: "file.npz:key".
std::string unique_inverse(const InputFile& file, const ZipMember& member) {
  std::string_view name = member.name;
  if (name.ends_with(".npy")) name.remove_suffix(4);
  return file.path() + ":" + std::string(name);
}

struct Directory {
  std::uint64_t n_entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

// The 64-bit end record stands before its locator, which stands before the plain end record.
Directory read_end64(const InputFile& file, std::size_t end_position) {
  if (end_position < kLocatorSize) damaged(file, "its zip64 locator is missing");
  std::array<unsigned char, kEnd64Size> record = {};
  file.read_at(end_position - kLocatorSize, record.data(), kLocatorSize);
  if (field32(record.data()) != kLocatorMark) damaged(file, "its zip64 locator is missing");
  const std::uint64_t position = field64(record.data() + 8);
  if (position > file.size() || file.size() - position < kEnd64Size) {
    damaged(file, "its zip64 end record lies outside the file");
  }
  file.read_at(position, record.data(), kEnd64Size);
  if (field32(record.data()) != kEnd64Mark) damaged(file, "its zip64 end record is missing");
  return {field64(record.data() + 32), field64(record.data() + 40), field64(record.data() + 48)};
}

Directory find_directory(const InputFile& file) {
  if (file.size() == 0) damaged(file, "it is empty");
  if (file.size() < kEndSize) damaged(file, "it has only " + with_commas(file.size()) + " bytes");
  // The end record is followed by a comment of at most 65,535 bytes: look for it from behind.
  const std::size_t n_tail = std::min(file.size(), kEndSize + 0xFFFF);
  std::vector<unsigned char> tail(n_tail);
  file.read_at(file.size() - n_tail, tail.data(), n_tail);
  for (std::size_t at = n_tail - kEndSize + 1; at-- > 0;) {
    const unsigned char* end = tail.data() + at;
    if (field32(end) != kEndMark || field16(end + 20) != n_tail - at - kEndSize) continue;
    if (field16(end + 4) != 0 && field16(end + 4) != 0xFFFF) {
      damaged(file, "it is one part of several");
    }
    Directory directory = {field16(end + 10), field32(end + 12), field32(end + 16)};
    if (directory.n_entries == 0xFFFF || directory.size == 0xFFFFFFFF ||
        directory.offset == 0xFFFFFFFF) {
      directory = read_end64(file, file.size() - n_tail + at);
    }
    return directory;
  }
  damaged(file, "the directory at its end is missing");
}

// Replaces the fields that are too large for 32 bits by those of the zip64 extra record.
void apply_zip64(const InputFile& file, const unsigned char* extra, std::size_t n_extra,
                 std::uint64_t& size, std::uint64_t& compressed, std::uint64_t& offset) {
  constexpr std::uint64_t kElsewhere = 0xFFFFFFFF;
  if (size != kElsewhere && compressed != kElsewhere && offset != kElsewhere) return;
  while (n_extra >= 4) {
    const std::size_t length = field16(extra + 2);
    if (length > n_extra - 4) break;
    if (field16(extra) == 1) {
      const unsigned char* next = extra + 4;
      const unsigned char* end = next + length;
      for (std::uint64_t* value : {&size, &compressed, &offset}) {
        if (*value != kElsewhere) continue;
        if (end - next < 8) damaged(file, "a zip64 record is too short");
        *value = field64(next);
        next += 8;
      }
      return;
    }
    extra += 4 + length;
    n_extra -= 4 + length;
  }
}

class MemberSource final : public ByteSource {
 public:
  MemberSource(const InputFile& file, const ZipMember& member, std::size_t data_offset)
      : file_(file),
        member_(member),
        where_(unique_inverse(file, member)),
        next_(data_offset),
        n_compressed_left_(member.compressed_size) {
    if (member.method == 8 && inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~MemberSource() override {
    if (member_.method == 8) inflateEnd(&stream_);
  }
  MemberSource(const MemberSource&) = delete;
  MemberSource& operator=(const MemberSource&) = delete;

  std::size_t size() const override { return member_.size; }
  const std::string& where() const override { return where_; }

  void read(void* out, std::size_t n) override {
    if (n > member_.size - position_) broken("it ends too early");
    auto* place = static_cast<unsigned char*>(out);
    // In pieces, since zlib counts in 32 bits.
    for (std::size_t left = n; left > 0;) {
      const std::size_t piece = std::min(left, std::size_t{1} << 20);
      if (member_.method == 8) {
        inflate_piece(place, piece);
      } else {
        file_.read_at(next_, place, piece);
        next_ += piece;
      }
      crc_ = crc32(crc_, place, static_cast<uInt>(piece));
      place += piece;
      left -= piece;
    }
    position_ += n;
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // a fuzzer cannot guess checksums
    if (position_ == member_.size && crc_ != member_.crc) broken("its checksum is wrong");
#endif
  }

 private:
  [[noreturn]] void broken(const std::string& what) const {
    throw IoError(where_ + ": is damaged: " + what + " (copy or save the file again)");
  }

  void inflate_piece(unsigned char* out, std::size_t n) {
    stream_.next_out = out;
    stream_.avail_out = static_cast<uInt>(n);
    while (stream_.avail_out > 0) {
      if (stream_.avail_in == 0) {
        const std::size_t piece = std::min(n_compressed_left_, input_.size());
        if (piece == 0) broken("its compressed data ends too early");
        file_.read_at(next_, input_.data(), piece);
        next_ += piece;
        n_compressed_left_ -= piece;
        stream_.next_in = input_.data();
        stream_.avail_in = static_cast<uInt>(piece);
      }
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_STREAM_END && stream_.avail_out > 0) broken("it ends too early");
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
        broken("its compressed data makes no sense");
      }
    }
  }

  const InputFile& file_;
  ZipMember member_;
  std::string where_;
  std::size_t next_;
  std::size_t n_compressed_left_;
  std::size_t position_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
  z_stream stream_ = {};
  std::array<unsigned char, 1 << 16> input_ = {};
};

}  // namespace

std::vector<ZipMember> read_zip_directory(const InputFile& file) {
  const Directory directory = find_directory(file);
  if (directory.offset > file.size() || directory.size > file.size() - directory.offset) {
    damaged(file, "its directory lies outside the file");
  }
  if (directory.n_entries > directory.size / kEntrySize) {
    damaged(file,
            "its directory is too small for " + with_commas(directory.n_entries) + " members");
  }
  std::vector<unsigned char> bytes(directory.size);
  file.read_at(directory.offset, bytes.data(), bytes.size());

  std::vector<ZipMember> members;
  members.reserve(directory.n_entries);
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < directory.n_entries; ++i) {
    const unsigned char* entry = bytes.data() + at;
    if (bytes.size() - at < kEntrySize || field32(entry) != kEntryMark) {
      damaged(file, "its directory breaks off");
    }
    const std::size_t n_name = field16(entry + 28), n_extra = field16(entry + 30);
    const std::size_t n_entry = kEntrySize + n_name + n_extra + field16(entry + 32);
    if (n_entry > bytes.size() - at) damaged(file, "its directory breaks off");

    std::uint64_t compressed = field32(entry + 20), size = field32(entry + 24);
    std::uint64_t offset = field32(entry + 42);
    const unsigned char* name = entry + kEntrySize;
    apply_zip64(file, name + n_name, n_extra, size, compressed, offset);
    members.push_back({.name = std::string(reinterpret_cast<const char*>(name), n_name),
                       .flags = field16(entry + 8),
                       .method = field16(entry + 10),
                       .crc = field32(entry + 16),
                       .compressed_size = compressed,
                       .size = size,
                       .header_offset = offset});
    at += n_entry;
  }
  return members;
}

std::unique_ptr<ByteSource> open_zip_member(const InputFile& file, const ZipMember& member) {
  const std::string where = unique_inverse(file, member);
  if ((member.flags & 1) != 0) throw IoError(where + ": is encrypted (save it without a password)");
  if (member.method != 0 && member.method != 8) {
    throw IoError(where + ": is compressed in a way that is not supported (method " +
                  std::to_string(member.method) + "; save it with numpy.savez_compressed)");
  }
  if (member.header_offset > file.size() || file.size() - member.header_offset < kLocalSize) {
    damaged(file, "member '" + member.name + "' lies outside the file");
  }
  std::array<unsigned char, kLocalSize> header = {};
  file.read_at(member.header_offset, header.data(), header.size());
  if (field32(header.data()) != kLocalMark) {
    damaged(file, "member '" + member.name + "' is not where the directory says");
  }
  // Sizes come from the directory; the local header may leave them to a later descriptor.
  const std::size_t data_offset =
      member.header_offset + kLocalSize + field16(header.data() + 26) + field16(header.data() + 28);
  if (data_offset > file.size() || member.compressed_size > file.size() - data_offset) {
    throw IoError(where + ": is damaged: the directory announces " +
                  with_commas(member.compressed_size) + " bytes, but the file has only " +
                  with_commas(file.size()) + " in all");
  }
  // Deflate needs at least one byte for 1,032; a larger claim is an error or an attack.
  const std::size_t most =
      member.method == 0 ? member.compressed_size : member.compressed_size * 1032 + 1032;
  if (member.size > most || (member.method == 0 && member.size != most)) {
    throw IoError(where + ": is damaged: the directory announces " + with_commas(member.size) +
                  " bytes, which its " + with_commas(member.compressed_size) +
                  " stored bytes cannot hold");
  }
  return std::make_unique<MemberSource>(file, member, data_offset);
}

}  // namespace geotherm::detail
