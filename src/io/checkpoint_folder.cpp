// States of stages <-> files in a folder. A file is a line of text, the checksum of the run's
// description, that of the content, its length, and the content.
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/checksum.hpp"
#include "geotherm/checkpoint.hpp"
#include "geotherm/io.hpp"
#include "io/atomic_file.hpp"

namespace geotherm {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view magic = "geotherm checkpoint 1\n";
constexpr const char* description_file = "run.txt";
constexpr const char* ending = ".state";
constexpr std::size_t chunk = std::size_t{1} << 20;
/// Bytes a second that keeping may cost: a tenth of a slow disk's.
constexpr double sparing_speed = 20e6;

struct Header {
  std::uint64_t run = 0;
  std::uint64_t checksum = 0;
  std::uint64_t n_bytes = 0;
};

/// Checksum of bytes in chunks of a fixed size, however they arrive.
class ContentSum {
 public:
  void add(std::span<const char> bytes) {
    while (!bytes.empty()) {
      const std::size_t n = std::min(bytes.size(), chunk - held_.size());
      if (held_.empty() && n == chunk) {
        sum_.add(bytes.data(), n);
      } else {
        held_.append(bytes.data(), n);
        if (held_.size() == chunk) flush();
      }
      bytes = bytes.subspan(n);
    }
  }
  std::uint64_t value() {
    if (!held_.empty()) flush();
    return sum_.value();
  }

 private:
  void flush() {
    sum_.add(held_.data(), held_.size());
    held_.clear();
  }
  detail::Checksum sum_;
  std::string held_;
};

class FileSource final : public Checkpoint::Source {
 public:
  FileSource(std::ifstream file, std::size_t n_bytes) : file_(std::move(file)), n_left_(n_bytes) {}
  void read(void* to, std::size_t n_bytes) override {
    if (n_bytes > n_left_) throw IoError("it ends too early");
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(n_bytes));
    if (!file_) throw IoError("it cannot be read");
    n_left_ -= n_bytes;
  }
  std::size_t n_left() const override { return n_left_; }

 private:
  std::ifstream file_;
  std::size_t n_left_;
};

/// One "name value" a line, as in run.txt.
std::map<std::string, std::string> lines_of(std::istream& file) {
  std::map<std::string, std::string> found;
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) found[line.substr(0, space)] = line.substr(space + 1);
  }
  return found;
}

std::string text_of(const std::map<std::string, std::string>& run) {
  std::string text(magic);
  for (const auto& [name, value] : run) text += name + " " + value + "\n";
  return text;
}

/// "knn was 10 and is 15", for at most three.
std::string differences(const std::map<std::string, std::string>& before,
                        const std::map<std::string, std::string>& now) {
  std::vector<std::string> all;
  const auto value_in = [](const auto& run, const std::string& name) {
    const auto found = run.find(name);
    return found == run.end() ? std::string("not given") : found->second;
  };
  std::map<std::string, std::string> names = before;
  names.insert(now.begin(), now.end());
  for (const auto& [name, ignored] : names) {
    const std::string was = value_in(before, name), is = value_in(now, name);
    if (was != is) all.push_back(name + " was " + was + " and is " + is);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, all.size()); ++i) {
    text += (i == 0 ? "" : "; ") + all[i];
  }
  if (all.size() > 3) text += "; and " + std::to_string(all.size() - 3) + " more";
  return text;
}

bool is_state(const fs::path& file) { return file.extension() == ending; }
bool is_temporary(const fs::path& file) {
  return file.filename().string().starts_with(".geotherm-");
}

}  // namespace

struct CheckpointFolder::State {
  fs::path folder;
  double every_s = 0;
  Context context;
  std::uint64_t run = 0;  // checksum of its description
  bool is_resumed = false;
  bool has_failed = false;
  Clock::time_point last = Clock::now();

  fs::path file_of(std::string_view stage) const { return folder / (std::string(stage) + ending); }
};

CheckpointFolder::CheckpointFolder(const std::string& folder,
                                   std::map<std::string, std::string> run, double every_s,
                                   const Context& context)
    : state_(std::make_unique<State>()) {
  if (folder.empty()) throw InvalidArgument("the name of the checkpoint folder is empty");
  if (!(every_s >= 0)) {
    throw InvalidArgument("every_s is " + std::to_string(every_s) +
                          ": give seconds between two keepings, 0 or more");
  }
  run["version"] = version();
  for (auto& [name, value] : run) std::replace(value.begin(), value.end(), '\n', ' ');
  state_->folder = folder;
  state_->every_s = every_s;
  state_->context.on_log = context.on_log;
  const std::string text = text_of(run);
  detail::Checksum sum;
  sum.add(text.data(), text.size());
  state_->run = sum.value();

  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    throw IoError(folder + ": cannot be used as a checkpoint folder: " +
                  (error ? error.message() : "it is no folder"));
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  if (error) throw IoError(folder + ": cannot be read: " + error.message());
  // A process that was killed while it wrote left a file that nobody will finish. It is removed
  // once the folder is known to be of this run; in one that is not, nothing is touched.
  const auto first_temporary = std::partition(
      files.begin(), files.end(), [](const fs::path& file) { return !is_temporary(file); });
  const std::vector<fs::path> temporary(first_temporary, files.end());
  files.erase(first_temporary, files.end());
  const std::string described = (fs::path(folder) / description_file).string();
  if (files.empty()) {
    write_file_atomically(described, text);
    return;
  }
  std::ifstream file(described, std::ios::binary);
  std::string first(magic.size(), '\0');
  if (!file.read(first.data(), static_cast<std::streamsize>(first.size())) || first != magic) {
    throw InvalidArgument("the checkpoint folder '" + folder +
                          "' holds other files: give the name of a new or empty folder");
  }
  const std::map<std::string, std::string> before = lines_of(file);
  if (before != run) {
    throw InvalidArgument("the checkpoint folder '" + folder +
                          "' is of another run: " + differences(before, run) +
                          " (repeat the earlier command to resume it, remove it, or name another)");
  }
  for (const fs::path& path : temporary) fs::remove(path, error);
  for (const fs::path& path : files) state_->is_resumed |= is_state(path);
}

CheckpointFolder::~CheckpointFolder() = default;

bool CheckpointFolder::is_resumed() const { return state_->is_resumed; }

bool CheckpointFolder::is_empty() const {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(state_->folder, ignored)) {
    if (is_state(entry.path())) return false;
  }
  return true;
}

void CheckpointFolder::remove() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(state_->folder, ignored)) {
    const fs::path& file = entry.path();
    const bool is_ours = is_state(file) || file.filename() == description_file;
    if (is_ours) fs::remove(file, ignored);
  }
  fs::remove(state_->folder, ignored);  // fails where something else is in it
}

bool CheckpointFolder::is_due(std::size_t n_bytes) const {
  if (state_->has_failed) return false;
  if (state_->every_s == 0) return true;
  const double since = std::chrono::duration<double>(Clock::now() - state_->last).count();
  return since >= std::max(state_->every_s, static_cast<double>(n_bytes) / sparing_speed);
}

void CheckpointFolder::save(std::string_view stage, std::span<const std::span<const char>> pieces) {
  if (state_->has_failed) return;
  Header header{.run = state_->run};
  ContentSum sum;
  for (const auto piece : pieces) {
    sum.add(piece);
    header.n_bytes += piece.size();
  }
  header.checksum = sum.value();
  try {
    detail::AtomicFile file(state_->file_of(stage).string());
    file.write(magic);
    file.write({reinterpret_cast<const char*>(&header), sizeof header});
    for (const auto piece : pieces) file.write({piece.data(), piece.size()});
    file.commit();
  } catch (const IoError& e) {
    state_->has_failed = true;
    state_->context.warn(std::string("nothing more is kept for a later run: ") + e.what());
  }
  state_->last = Clock::now();
}

std::unique_ptr<Checkpoint::Source> CheckpointFolder::load(std::string_view stage) {
  const fs::path path = state_->file_of(stage);
  std::ifstream file(path, std::ios::binary);
  if (!file) return nullptr;
  const auto refuse = [&](const char* why) {
    state_->context.warn("checkpoint: " + path.string() +
                         " is not used, its stage is done again: " + why);
    return nullptr;
  };
  std::string first(magic.size(), '\0');
  Header header;
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || first != magic) return refuse("it is damaged or no checkpoint");
  if (header.run != state_->run) return refuse("it is of another run");
  const auto begin = file.tellg();
  ContentSum sum;
  std::vector<char> buffer(chunk);
  std::uint64_t n_left = header.n_bytes;
  while (n_left > 0) {
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(n_left, chunk));
    if (!file.read(buffer.data(), static_cast<std::streamsize>(n)))
      return refuse("it is cut short");
    sum.add({buffer.data(), n});
    n_left -= n;
  }
  if (sum.value() != header.checksum) {
    return refuse("it is damaged: its checksum does not fit what is in it");
  }
  if (file.peek() != std::ifstream::traits_type::eof()) return refuse("it is longer than it says");
  file.clear();
  file.seekg(begin);
  return std::make_unique<FileSource>(std::move(file), static_cast<std::size_t>(header.n_bytes));
}

}  // namespace geotherm
