// What the fuzz targets share: a file in memory that holds the input, and what has to be true of
// anything that a reader gives back. In: bytes. Out: nothing, or the process ends.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "geotherm/io.hpp"
#include "geotherm/observations.hpp"

namespace geotherm::fuzz {

inline void require(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

/// A folder of this process, in memory where the machine has /dev/shm; gone with the process.
class Scratch {
 public:
  Scratch() {
    std::string base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    std::string pattern = base + "/geotherm-fuzz-XXXXXX";
    require(::mkdtemp(pattern.data()) != nullptr, "a folder for the input can be made");
    folder_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  const std::string& folder() const { return folder_; }
  /// The path of a file that holds `content`.
  std::string file(const std::string& name, std::string_view content) const {
    const std::string path = folder_ + "/" + name;
    const int descriptor = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    require(descriptor >= 0, "the input can be written");
    while (!content.empty()) {
      const ssize_t n = ::write(descriptor, content.data(), content.size());
      require(n > 0, "the input can be written");
      content.remove_prefix(static_cast<std::size_t>(n));
    }
    ::close(descriptor);
    return path;
  }

 private:
  std::string folder_;
};

inline const Scratch& scratch() {
  static const Scratch folder;
  return folder;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Names are none or one each, sparse rows rise and stay inside.
inline void require_consistent(const Observations& read) {
  const auto fits = [](std::size_t n_names, std::size_t n) { return n_names == 0 || n_names == n; };
  require(fits(read.table.row_names.size(), read.rows()), "one name per row, or none");
  require(fits(read.table.column_names.size(), read.cols()), "one name per column, or none");
  require(fits(read.column_ids.size(), read.cols()), "one identifier per column, or none");
  require(fits(read.labels.size(), read.rows()), "one label per row, or none");
  if (read.holds == Holds::points) return;
  const SparseMatrix& sparse = read.sparse;
  require(sparse.offsets.size() == sparse.rows + 1 && sparse.offsets.front() == 0 &&
              sparse.offsets.back() == sparse.indices.size() &&
              sparse.values.size() == sparse.indices.size(),
          "row pointers fit the entries");
  for (std::size_t i = 0; i < sparse.rows; ++i) {
    require(sparse.offsets[i] <= sparse.offsets[i + 1], "row pointers rise");
    Index last = -1;
    for (const Index j : sparse.row_indices(i)) {
      require(j > last && static_cast<std::size_t>(j) < sparse.cols, "columns rise and exist");
      last = j;
    }
  }
}

/// Runs `read`: it may give data or refuse with a message that names the file; nothing else.
template <class Read>
void read_or_refuse(const std::string& path, Read read) {
  try {
    read();
  } catch (const IoError& error) {
    require(std::string_view(error.what()).find(path) != std::string_view::npos,
            "a refusal names the file");
  } catch (const InvalidArgument& error) {
    require(std::string_view(error.what()).size() > 10, "a refusal says why");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "escaped: %s\n", error.what());
    std::abort();
  }
}

/// The same for what read_observations opens, with the dense form where it is small.
/// `part` is a table within the file, behind a colon.
inline void read_all(const std::string& file, const ReadOptions& options = {},
                     const std::string& part = {}) {
  const std::string path = file + part;
  read_or_refuse(file, [&] {
    const Observations read = read_observations(path, options);
    require_consistent(read);
    const Table dense = densified(read, std::size_t{1} << 24);
    require(dense.rows() == read.rows() && dense.cols() == read.cols(), "the dense form fits");
  });
}

}  // namespace geotherm::fuzz
