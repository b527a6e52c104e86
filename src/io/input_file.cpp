// Opening and reading files through the system's calls, which give reasons that streams lose.
#include "io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace geotherm::detail {

std::string system_reason(int error) { return std::system_category().message(error); }

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
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    const int error = errno;
    if (error == ENOENT) {
      throw IoError(path + ": there is no such file (check the spelling and the folder)");
    }
    throw IoError(path + ": cannot be read: " + system_reason(error));
  }
  if (S_ISDIR(status.st_mode)) {
    throw IoError(path + ": is a folder (give the path of a file in it)");
  }
  if (!S_ISREG(status.st_mode)) {
    throw IoError(path + ": is not a regular file (save the data to a file first)");
  }
  do {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) throw IoError(path + ": cannot be read: " + system_reason(errno));
  if (::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    ::close(descriptor_);
    throw IoError(path + ": cannot be read: " + system_reason(error));
  }
  size_ = static_cast<std::size_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read_at(std::size_t offset, void* out, std::size_t n) const {
  if (offset > size_ || n > size_ - offset) {
    throw IoError(path_ + ": ends too early: bytes " + with_commas(offset) + " to " +
                  with_commas(offset + n) + " are needed, but the file has " + with_commas(size_));
  }
  char* place = static_cast<char*>(out);
  while (n > 0) {
    const ssize_t got = ::pread(descriptor_, place, n, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
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
