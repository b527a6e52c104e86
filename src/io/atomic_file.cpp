// Write beside, flush, rename: a reader sees the old file or the new one, never a half.
#include "io/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "core/platform.hpp"
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
  const platform::FileStatus status = platform::status_of(target_);
  const bool exists = status.error == 0;
  if (exists && status.kind == platform::FileKind::folder) {
    throw IoError(path_ + ": cannot be written: it is a folder (give the name of a file in it)");
  }
  if (exists && !platform::may_write(target_)) fail(errno);
  if (exists && status.kind != platform::FileKind::regular) {
    descriptor_ = platform::open_to_write(target_);
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
      temporary_ =
          folder + "/.geotherm-" + std::to_string(platform::process_id()) + "-" + std::to_string(n);
      descriptor_ = platform::create_file(temporary_);
      if (descriptor_ >= 0 || errno == EEXIST) continue;
      const int error = errno;
      throw IoError(path_ + ": cannot be written: the folder '" + folder +
                    "' does not accept new files: " + system_reason(error));
    }
    // A file that is replaced keeps its permissions.
    if (exists) platform::set_permissions(descriptor_, status.permissions);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) platform::close_file(descriptor_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void AtomicFile::fail(int error) const {
  throw IoError(path_ + ": cannot be written: " + system_reason(error));
}

void AtomicFile::write_through(const char* bytes, std::size_t n) {
  while (n > 0) {
    const std::ptrdiff_t done = platform::write_some(descriptor_, bytes, n);
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
  if (!is_direct && !platform::flush_to_disk(descriptor_)) fail(errno);
  const int closed = platform::close_file(descriptor_);
  descriptor_ = -1;
  if (closed != 0) fail(errno);
  if (is_direct) return;
  if (!platform::replace_file(temporary_, target_)) fail(errno);
  temporary_.clear();
  platform::flush_folder(folder_of(target_));
}

}  // namespace detail

void write_file_atomically(const std::string& path, std::string_view content) {
  detail::AtomicFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace geotherm
