// What the library and the program ask of the operating system beyond the C++ standard. The POSIX
// half is platform_posix.cpp, that of Windows platform_windows.cpp; no other source includes a
// header of the system. Functions that fail set errno, as the system's own do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace geotherm::detail::platform {

// Files, by descriptor. A call that a signal broke off is repeated.

enum class FileKind { absent, regular, folder, other };

struct FileStatus {
  FileKind kind = FileKind::absent;
  std::uint64_t size = 0;
  /// As chmod takes them; 0 where the system has none.
  unsigned permissions = 0;
  /// Why the status is not known (ENOENT: there is no such file); 0: it is.
  int error = 0;
};

FileStatus status_of(const std::string& path);
FileStatus status_of(int descriptor);
/// False, with errno, where the file or folder may not be written to.
bool may_write(const std::string& path);

/// Descriptors; -1 where it failed. Not inherited by other programs.
int open_to_read(const std::string& path);
int open_to_write(const std::string& path);
/// Fails with EEXIST where there is such a file.
int create_file(const std::string& path);
/// 0, or -1 with errno.
int close_file(int descriptor) noexcept;
/// Number of bytes, 0 at the end, -1 where it failed. Safe on several threads at once.
std::ptrdiff_t read_at(int descriptor, void* out, std::size_t n, std::uint64_t offset);
/// Number of bytes taken, or -1.
std::ptrdiff_t write_some(int descriptor, const char* bytes, std::size_t n);
/// True once the bytes are on the disk.
bool flush_to_disk(int descriptor);
/// Best effort.
void set_permissions(int descriptor, unsigned permissions);
/// Gives the file the other name, in place of a file that had it.
bool replace_file(const std::string& from, const std::string& to);
/// Best effort: a rename reaches the disk with its folder.
void flush_folder(const std::string& folder);

// Memory, cores and processes.

/// Cores that this process may use; 0 where the system does not say.
std::size_t n_usable_cores();
/// Bytes of main memory; 0 where the system does not say.
std::size_t physical_memory();
/// Largest memory this process held so far, in bytes; 0 where the system does not say.
std::uint64_t peak_memory();
/// The limit on the address space (ulimit -v), in bytes; the largest number where there is none.
std::uint64_t address_space_limit();
/// Whether that much address space could be had now.
bool can_map(std::size_t n_bytes);
/// A hint for memory that is about to be filled; `begin` at a boundary of pages.
void advise_large_pages(void* begin, std::size_t n_bytes) noexcept;
/// Gives memory that was freed in many small pieces back to the system, where the C library keeps
/// it.
void return_freed_memory() noexcept;
int process_id();
/// Of the running program; empty where the system does not say.
std::string path_of_program();
/// Becomes another program, found by path or name; returns, with errno, only where that failed.
void become_program(const std::string& program, const std::vector<std::string>& arguments);

// Terminal and signals.

enum class Stream { out = 1, error = 2 };
bool is_terminal(Stream stream);
struct TerminalSize {
  int columns = 0;  ///< 0: not known
  int rows = 0;
};
TerminalSize terminal_size(Stream stream);
/// Safe in a signal handler.
void write_in_handler(Stream stream, std::string_view text) noexcept;
/// `run` is called once when an alarm is due, in a signal handler or on a thread of its own.
void on_alarm(void (*run)()) noexcept;
/// Safe in a signal handler.
void set_alarm(int milliseconds) noexcept;
/// A limit on file sizes is then an error of the write, like a full disk.
void report_file_size_limit_as_error() noexcept;

}  // namespace geotherm::detail::platform
