// Opening and reading files by descriptor, which gives reasons that streams lose.
#include "io/input_file.hpp"

#include <cerrno>
#include <system_error>

#include "core/platform.hpp"

namespace geotherm::detail {

std::string system_reason(int error) { return std::generic_category().message(error); }

std::string with_commas(std::size_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

InputFile::InputFile(const std::string& path) : path_(path) {
  platform::FileStatus status = platform::status_of(path);
  if (status.error == ENOENT) {
    throw IoError(path + ": there is no such file (check the spelling and the folder)");
  }
  if (status.error != 0) {
    throw IoError(path + ": cannot be read: " + system_reason(status.error));
  }
  if (status.kind == platform::FileKind::folder) {
    throw IoError(path + ": is a folder (give the path of a file in it)");
  }
  if (status.kind != platform::FileKind::regular) {
    throw IoError(path + ": is not a regular file (save the data to a file first)");
  }
  descriptor_ = platform::open_to_read(path);
  if (descriptor_ < 0) throw IoError(path + ": cannot be read: " + system_reason(errno));
  status = platform::status_of(descriptor_);
  if (status.error != 0) {
    platform::close_file(descriptor_);
    throw IoError(path + ": cannot be read: " + system_reason(status.error));
  }
  size_ = static_cast<std::size_t>(status.size);
}

InputFile::~InputFile() { platform::close_file(descriptor_); }

void InputFile::read_at(std::size_t offset, void* out, std::size_t n) const {
  if (offset > size_ || n > size_ - offset) {
    throw IoError(path_ + ": ends too early: bytes " + with_commas(offset) + " to " +
                  with_commas(offset + n) + " are needed, but the file has " + with_commas(size_));
  }
  char* place = static_cast<char*>(out);
  while (n > 0) {
    const std::ptrdiff_t got = platform::read_at(descriptor_, place, n, offset);
    if (got < 0) throw IoError(path_ + ": reading failed: " + system_reason(errno));
    if (got == 0) throw IoError(path_ + ": became shorter while it was read");
    place += got;
    offset += static_cast<std::size_t>(got);
    n -= static_cast<std::size_t>(got);
  }
}

void FileSource::read(void* out, std::size_t n) {
  file_.read_at(position_, out, n);
  position_ += n;
}

Bytes read_whole_file(const std::string& path) {
  const InputFile file(path);
  Bytes bytes(file.size());
  file.read_at(0, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace geotherm::detail
