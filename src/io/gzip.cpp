// Unpacking in growing steps, so that a small file cannot claim the memory of a large one.
#include "io/gzip.hpp"

#include <algorithm>
#include <limits>

#include "core/large_pages.hpp"

namespace geotherm::detail {
namespace {

constexpr int kGzipWindow = MAX_WBITS + 16;
constexpr int kEitherWindow = MAX_WBITS + 32;  // gzip or zlib, as the first bytes say

uInt part(std::size_t n) {
  return static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
}

struct Inflater {
  z_stream stream = {};
  Inflater() {
    if (inflateInit2(&stream, kEitherWindow) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
};

// The last four bytes hold the size modulo 2^32 of the last member: a first guess, no more.
std::size_t guessed_size(std::span<const char> packed) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    size |= static_cast<std::size_t>(static_cast<unsigned char>(packed[packed.size() - 4 + i]))
            << (8 * i);
  }
  return std::min(size, 1032 * packed.size()) + 1;
}

Bytes unpacked(std::span<const char> packed, std::size_t first_size, const std::string& path) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  Bytes out(first_size);
  ask_for_large_pages(out);
  std::size_t n_in = 0, n_out = 0;
  for (;;) {
    if (n_out == out.size()) out.resize(out.size() + out.size() / 2 + (std::size_t{1} << 16));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())) + n_in;
    stream.avail_in = part(packed.size() - n_in);
    stream.next_out = reinterpret_cast<Bytef*>(out.data()) + n_out;
    stream.avail_out = part(out.size() - n_out);
    const uInt in_before = stream.avail_in, out_before = stream.avail_out;
    const int state = inflate(&stream, Z_NO_FLUSH);
    n_in += in_before - stream.avail_in;
    n_out += out_before - stream.avail_out;
    if (state == Z_STREAM_END) {
      // Another member may follow; zeros after the last are padding.
      while (n_in < packed.size() && packed[n_in] == '\0') ++n_in;
      if (n_in == packed.size()) break;
      if (inflateReset(&stream) != Z_OK) throw IoError(path + ": cannot be unpacked");
    } else if (state == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (state == Z_BUF_ERROR && n_in == packed.size()) {
      throw IoError(path + ": ends too early: what is packed in it is cut short");
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      throw IoError(path + ": cannot be unpacked: it is damaged");
    }
  }
  out.resize(n_out);
  return out;
}

}  // namespace

Bytes read_unpacked_file(const std::string& path) {
  Bytes bytes = read_whole_file(path);
  const bool is_packed = bytes.size() >= 18 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
  if (is_packed) return unpacked(bytes, guessed_size(bytes), path);
  if (path.ends_with(".gz") && !bytes.empty()) {
    throw IoError(path + ": is no gzip file, though its name ends in .gz");
  }
  return bytes;
}

Bytes unpacked_bytes(std::span<const char> packed, const std::string& where) {
  return unpacked(packed, 4 * packed.size() + 64, where);
}

GzipWriter::GzipWriter(AtomicFile& file) : file_(file), buffer_(std::size_t{1} << 16, '\0') {
  if (deflateInit2(&stream_, 6, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

GzipWriter::~GzipWriter() { deflateEnd(&stream_); }

void GzipWriter::put(std::string_view bytes, int flush) {
  do {
    const uInt n = part(bytes.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = n;
    bytes.remove_prefix(n);
    int state = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = part(buffer_.size());
      state = deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
      file_.write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0 && state != Z_STREAM_END);
  } while (!bytes.empty());
}

}  // namespace geotherm::detail
