// Write beside, flush, rename: a reader sees the old file or the new one, never a half.
#include "io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "geotherm/io.hpp"
#include "io/input_file.hpp"

namespace geotherm {
namespace detail {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 18;

// The folder of `target`, in a form that can be opened.
std::string folder_of(const std::string& target) {
  const std::string folder = std::filesystem::path(target).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string without_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(without_links(path)) {
  buffer_.reserve(kBufferSize);
  if (path.empty()) throw IoError("cannot write: the name of the output file is empty");
  struct stat status = {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw IoError(path_ + ": cannot be written: it is a folder (give the name of a file in it)");
  }
  if (exists && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno);
  } else {
    const std::string folder = folder_of(target_);
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
      throw IoError(path_ + ": cannot be written: there is no folder '" + folder +
                    "' (create it first)");
    }
    // A short name of its own: the target's may already be as long as the system allows.
    for (int n = 0; descriptor_ < 0; ++n) {
      temporary_ = folder + "/.geotherm-" + std::to_string(::getpid()) + "-" + std::to_string(n);
      descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ >= 0 || errno == EEXIST || errno == EINTR) continue;
      const int error = errno;
      throw IoError(path_ + ": cannot be written: the folder '" + folder +
                    "' does not accept new files: " + system_reason(error));
    }
    // Best effort: a file that is replaced keeps its permissions.
    if (exists) static_cast<void>(!::fchmod(descriptor_, status.st_mode & 07777));
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(int error) const {
  throw IoError(path_ + ": cannot be written: " + system_reason(error));
}

void AtomicFile::write_through(const char* bytes, std::size_t n) {
  while (n > 0) {
    const ssize_t done = ::write(descriptor_, bytes, n);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(errno);
    bytes += done;
    n -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write(std::string_view bytes) {
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() >= kBufferSize) {
    write_through(bytes.data(), bytes.size());
  } else {
    buffer_.append(bytes);
  }
}

const std::string& AtomicFile::path_to_finish() {
  if (temporary_.empty()) throw IoError(path_ + ": this format is written to regular files only");
  flush();
  return temporary_;
}

void AtomicFile::commit() {
  flush();
  const bool is_direct = temporary_.empty();
  // Without this a crash soon after could leave the new name with no content.
  if (!is_direct && ::fsync(descriptor_) != 0) fail(errno);
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (is_direct) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
  // The rename itself reaches the disk with the folder; not every file system can flush one.
  const int folder = ::open(folder_of(target_).c_str(), O_RDONLY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

}  // namespace detail

void write_file_atomically(const std::string& path, std::string_view content) {
  detail::AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace geotherm
