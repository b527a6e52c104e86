// The operating system as Windows has it: the C runtime's descriptors, and Windows's own calls for
// what the runtime does not know.
#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
// After windows.h, which it needs.
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <psapi.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/platform.hpp"

namespace geotherm::detail::platform {
namespace {

FileStatus status_from(const struct _stat64& found) {
  FileStatus status;
  status.kind = (found.st_mode & _S_IFMT) == _S_IFDIR   ? FileKind::folder
                : (found.st_mode & _S_IFMT) == _S_IFREG ? FileKind::regular
                                                        : FileKind::other;
  status.size = static_cast<std::uint64_t>(std::max<__int64>(found.st_size, 0));
  return status;
}

std::wstring wide(const std::string& path) { return std::filesystem::path(path).wstring(); }

int opened(const std::string& path, int flags) {
  return ::_wopen(wide(path).c_str(), flags | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

// The runtime counts bytes of one call in unsigned or int.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

HANDLE handle_of(Stream stream) {
  return ::GetStdHandle(stream == Stream::out ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

std::atomic<void (*)()> alarm_handler = nullptr;

void CALLBACK run_alarm(PVOID, BOOLEAN) {
  if (void (*run)() = alarm_handler.load()) run();
}

}  // namespace

FileStatus status_of(const std::string& path) {
  struct _stat64 found = {};
  if (::_wstat64(wide(path).c_str(), &found) != 0) return {.error = errno};
  return status_from(found);
}

FileStatus status_of(int descriptor) {
  struct _stat64 found = {};
  if (::_fstat64(descriptor, &found) != 0) return {.error = errno};
  return status_from(found);
}

bool may_write(const std::string& path) {
  constexpr int writing = 2;
  return ::_waccess(wide(path).c_str(), writing) == 0;
}

int open_to_read(const std::string& path) { return opened(path, _O_RDONLY); }
int open_to_write(const std::string& path) { return opened(path, _O_WRONLY); }
int create_file(const std::string& path) { return opened(path, _O_WRONLY | _O_CREAT | _O_EXCL); }
int close_file(int descriptor) noexcept { return ::_close(descriptor); }

std::ptrdiff_t read_at(int descriptor, void* out, std::size_t n, std::uint64_t offset) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32U);
  DWORD got = 0;
  const HANDLE file = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
  if (::ReadFile(file, out, static_cast<DWORD>(std::min(n, most_at_once)), &got, &place) == 0) {
    if (::GetLastError() == ERROR_HANDLE_EOF) return 0;
    errno = EIO;
    return -1;
  }
  return static_cast<std::ptrdiff_t>(got);
}

std::ptrdiff_t write_some(int descriptor, const char* bytes, std::size_t n) {
  return ::_write(descriptor, bytes, static_cast<unsigned>(std::min(n, most_at_once)));
}

bool flush_to_disk(int descriptor) { return ::_commit(descriptor) == 0; }

void set_permissions(int, unsigned) {}

bool replace_file(const std::string& from, const std::string& to) {
  if (::MoveFileExW(wide(from).c_str(), wide(to).c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0) {
    return true;
  }
  errno = EACCES;
  return false;
}

void flush_folder(const std::string&) {}  // MOVEFILE_WRITE_THROUGH has done it

std::size_t n_usable_cores() {
  DWORD_PTR own = 0, all = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all) == 0) return 0;
  std::size_t n = 0;
  for (; own != 0; own &= own - 1) ++n;
  return n;
}

std::size_t physical_memory() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof(status);
  return ::GlobalMemoryStatusEx(&status) == 0 ? 0 : static_cast<std::size_t>(status.ullTotalPhys);
}

std::uint64_t peak_memory() {
  PROCESS_MEMORY_COUNTERS counters = {};
  if (::K32GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof(counters)) == 0) return 0;
  return counters.PeakWorkingSetSize;
}

std::uint64_t address_space_limit() { return std::numeric_limits<std::uint64_t>::max(); }
bool can_map(std::size_t) { return true; }
void return_freed_memory() noexcept {}  // the heap gives it back by itself

void advise_large_pages(void*, std::size_t) noexcept {}
int process_id() { return static_cast<int>(::GetCurrentProcessId()); }

std::string path_of_program() {
  std::wstring path(32768, L'\0');
  path.resize(::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return std::filesystem::path(path).string();
}

void become_program(const std::string& program, const std::vector<std::string>& arguments) {
  // The runtime joins the words with spaces: quotes keep each one whole.
  const auto quoted = [](const std::string& word) { return L"\"" + wide(word) + L"\""; };
  std::vector<std::wstring> words = {quoted(program)};
  for (const std::string& argument : arguments) words.push_back(quoted(argument));
  std::vector<const wchar_t*> pointers;
  for (const std::wstring& word : words) pointers.push_back(word.c_str());
  pointers.push_back(nullptr);
  const intptr_t code = ::_wspawnvp(_P_WAIT, wide(program).c_str(), pointers.data());
  if (code != -1) std::exit(static_cast<int>(code));
}

bool is_terminal(Stream stream) {
  DWORD mode = 0;
  return ::GetConsoleMode(handle_of(stream), &mode) != 0;
}

TerminalSize terminal_size(Stream stream) {
  CONSOLE_SCREEN_BUFFER_INFO info = {};
  if (::GetConsoleScreenBufferInfo(handle_of(stream), &info) == 0) return {};
  return {.columns = info.srWindow.Right - info.srWindow.Left + 1,
          .rows = info.srWindow.Bottom - info.srWindow.Top + 1};
}

void write_in_handler(Stream stream, std::string_view text) noexcept {
  DWORD n = 0;
  ::WriteFile(handle_of(stream), text.data(), static_cast<DWORD>(text.size()), &n, nullptr);
}

void on_alarm(void (*run)()) noexcept { alarm_handler.store(run); }

void set_alarm(int milliseconds) noexcept {
  HANDLE timer = nullptr;
  ::CreateTimerQueueTimer(&timer, nullptr, run_alarm, nullptr, static_cast<DWORD>(milliseconds), 0,
                          WT_EXECUTEONLYONCE);
}

void report_file_size_limit_as_error() noexcept {}  // Windows has no such signal

}  // namespace geotherm::detail::platform

#endif
