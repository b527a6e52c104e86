// Writing zip archives: members are stored, times are fixed, so equal content gives equal bytes.
#include <zlib.h>

#include <algorithm>

#include "io/zip.hpp"

namespace geotherm::detail {
namespace {

constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;
constexpr std::uint16_t kPlainVersion = 20, kZip64Version = 45;
constexpr std::uint16_t kUnix = 3 << 8;
constexpr std::uint32_t kReadableByAll = 0100644u << 16;
constexpr std::uint16_t kFirstOfJanuary1980 = (1 << 5) | 1;
constexpr std::uint16_t kNameIsUtf8 = 1 << 11;

class Record {
 public:
  Record& u16(std::uint64_t value) { return put(value, 2); }
  Record& u32(std::uint64_t value) { return put(value, 4); }
  Record& u64(std::uint64_t value) { return put(value, 8); }
  Record& text(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint64_t value, int n) {
    for (int i = 0; i < n; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  std::string bytes_;
};

std::uint16_t flags_for(const std::string& name) {
  const bool is_ascii = std::all_of(name.begin(), name.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return is_ascii ? std::uint16_t{0} : kNameIsUtf8;
}

}  // namespace

void ZipWriter::add(const std::string& name, const std::function<void(const Sink&)>& produce) {
  if (name.size() > 0xFFFF) throw InvalidArgument("an array's name has more than 65,535 bytes");
  ZipMember member = {.name = name, .flags = flags_for(name), .header_offset = file_.position()};
  uLong crc = crc32(0, nullptr, 0);
  produce([&](std::string_view bytes) {
    if (bytes.empty()) return;  // a null pointer would make zlib start the sum anew
    member.size += bytes.size();
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  });
  member.crc = static_cast<std::uint32_t>(crc);
  member.compressed_size = member.size;

  const bool is_large = member.size >= zip64_from_;
  Record header;
  header.u32(0x04034b50).u16(is_large ? kZip64Version : kPlainVersion).u16(member.flags).u16(0);
  header.u16(0).u16(kFirstOfJanuary1980).u32(member.crc);
  header.u32(is_large ? kElsewhere : member.size).u32(is_large ? kElsewhere : member.size);
  header.u16(name.size()).u16(is_large ? 20 : 0).text(name);
  if (is_large) header.u16(1).u16(16).u64(member.size).u64(member.size);
  file_.write(header.bytes());
  produce([&](std::string_view bytes) { file_.write(bytes); });
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t start = file_.position();
  bool needs_zip64 = members_.size() >= 0xFFFF;
  for (const ZipMember& member : members_) {
    const bool is_large = member.size >= zip64_from_;
    const bool is_far = member.header_offset >= zip64_from_;
    const std::uint16_t version = is_large || is_far ? kZip64Version : kPlainVersion;
    needs_zip64 = needs_zip64 || is_large || is_far;
    Record extra;
    if (is_large || is_far) {
      extra.u16(1).u16((is_large ? 16 : 0) + (is_far ? 8 : 0));
      if (is_large) extra.u64(member.size).u64(member.size);
      if (is_far) extra.u64(member.header_offset);
    }
    Record entry;
    entry.u32(0x02014b50).u16(kUnix | version).u16(version).u16(member.flags).u16(0);
    entry.u16(0).u16(kFirstOfJanuary1980).u32(member.crc);
    entry.u32(is_large ? kElsewhere : member.size).u32(is_large ? kElsewhere : member.size);
    entry.u16(member.name.size()).u16(extra.bytes().size()).u16(0).u16(0).u16(0);
    entry.u32(kReadableByAll).u32(is_far ? kElsewhere : member.header_offset);
    file_.write(entry.text(member.name).text(extra.bytes()).bytes());
  }
  const std::uint64_t end = file_.position();
  needs_zip64 = needs_zip64 || end >= zip64_from_;
  Record tail;
  if (needs_zip64) {
    tail.u32(0x06064b50).u64(44).u16(kUnix | kZip64Version).u16(kZip64Version).u32(0).u32(0);
    tail.u64(members_.size()).u64(members_.size()).u64(end - start).u64(start);
    tail.u32(0x07064b50).u32(0).u64(end).u32(1);
  }
  const std::uint64_t n = needs_zip64 ? 0xFFFF : members_.size();
  tail.u32(0x06054b50).u16(0).u16(0).u16(n).u16(n);
  tail.u32(needs_zip64 ? kElsewhere : end - start).u32(needs_zip64 ? kElsewhere : start).u16(0);
  file_.write(tail.bytes());
}

}  // namespace geotherm::detail
