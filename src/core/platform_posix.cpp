// The operating system as POSIX has it, with Linux's and macOS's own calls where they know more.
#ifndef _WIN32

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/platform.hpp"

namespace geotherm::detail::platform {
namespace {

FileStatus status_from(const struct stat& found) {
  FileStatus status;
  status.kind = S_ISDIR(found.st_mode)   ? FileKind::folder
                : S_ISREG(found.st_mode) ? FileKind::regular
                                         : FileKind::other;
  status.size = static_cast<std::uint64_t>(std::max<off_t>(found.st_size, 0));
  status.permissions = static_cast<unsigned>(found.st_mode) & 07777U;
  return status;
}

/// A system call, again while signals break it off.
template <class Call>
auto repeated(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

std::atomic<void (*)()> alarm_handler = nullptr;

extern "C" void geotherm_handle_alarm(int) {
  if (void (*run)() = alarm_handler.load()) run();
}

int descriptor_of(Stream stream) { return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

FileStatus status_of(const std::string& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return {.error = errno};
  return status_from(found);
}

FileStatus status_of(int descriptor) {
  struct stat found = {};
  if (::fstat(descriptor, &found) != 0) return {.error = errno};
  return status_from(found);
}

bool may_write(const std::string& path) { return ::access(path.c_str(), W_OK) == 0; }

int open_to_read(const std::string& path) {
  return repeated([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
}

int open_to_write(const std::string& path) {
  return repeated([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); });
}

int create_file(const std::string& path) {
  return repeated(
      [&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
}

int close_file(int descriptor) noexcept { return ::close(descriptor); }

std::ptrdiff_t read_at(int descriptor, void* out, std::size_t n, std::uint64_t offset) {
  return repeated([&] { return ::pread(descriptor, out, n, static_cast<off_t>(offset)); });
}

std::ptrdiff_t write_some(int descriptor, const char* bytes, std::size_t n) {
  return repeated([&] { return ::write(descriptor, bytes, n); });
}

bool flush_to_disk(int descriptor) { return ::fsync(descriptor) == 0; }

void set_permissions(int descriptor, unsigned permissions) {
  static_cast<void>(!::fchmod(descriptor, static_cast<mode_t>(permissions)));
}

bool replace_file(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0;
}

void flush_folder(const std::string& folder) {
  const int descriptor = open_to_read(folder);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

std::size_t n_usable_cores() {
#ifdef __linux__
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    return static_cast<std::size_t>(CPU_COUNT(&mask));
  }
#endif
  return 0;
}

std::size_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
}

std::uint64_t peak_memory() {
#ifdef __linux__
  // What getrusage calls the peak begins with that of the program that started this one.
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kib = 0;
  while (status >> word) {
    if (word == "VmHWM:" && status >> kib) return kib * 1024;
  }
#endif
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
#ifdef __APPLE__
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

std::uint64_t address_space_limit() {
  constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

bool can_map(std::size_t n_bytes) {
  void* probe =
      ::mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return false;
  ::munmap(probe, n_bytes);
  return true;
}

void return_freed_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void advise_large_pages([[maybe_unused]] void* begin,
                        [[maybe_unused]] std::size_t n_bytes) noexcept {
#ifdef MADV_HUGEPAGE
  ::madvise(begin, n_bytes, MADV_HUGEPAGE);
#endif
}

int process_id() { return static_cast<int>(::getpid()); }

std::string path_of_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

void become_program(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execvp(program.c_str(), words.data());
}

bool is_terminal(Stream stream) { return ::isatty(descriptor_of(stream)) == 1; }

TerminalSize terminal_size(Stream stream) {
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

void write_in_handler(Stream stream, std::string_view text) noexcept {
  [[maybe_unused]] const auto n = ::write(descriptor_of(stream), text.data(), text.size());
}

void on_alarm(void (*run)()) noexcept {
  alarm_handler.store(run);
  std::signal(SIGALRM, geotherm_handle_alarm);
}

void set_alarm(int milliseconds) noexcept {
  itimerval due = {};
  due.it_value.tv_sec = milliseconds / 1000;
  due.it_value.tv_usec = milliseconds % 1000 * 1000;
  ::setitimer(ITIMER_REAL, &due, nullptr);
}

void report_file_size_limit_as_error() noexcept { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace geotherm::detail::platform

#endif
