#include "engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <numeric>

#include "geotherm/io.hpp"

namespace geotherm::cli {
namespace {

/// Raised when results of old files would be read wrongly or have become wrong.
constexpr std::uint64_t format_version = 2;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string label_of(const nlohmann::json& key) {
  const std::string text = key.contains("label") ? key["label"].get<std::string>() : key.dump();
  constexpr std::size_t longest = 64;
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

std::string duration(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

bool is_stopping(const Context& context) { return context.stop != nullptr && context.stop->load(); }

/// What a job sees: threads and the stop signal. Its warnings (a graph in pieces, ...) belong to
/// single grid points and would bury the progress; what matters of them is in the results.
Context quiet_context(const Context& context) {
  Context quiet = context;
  quiet.on_progress = {};
  quiet.on_log = {};
  return quiet;
}

}  // namespace

std::filesystem::path JobCache::path_of(const nlohmann::json& key) const {
  Rng hash(format_version, key.dump());
  const std::uint64_t high = hash.next();
  return folder_ / fmt::format("{:016x}{:016x}.json", high, hash.next());
}

std::optional<nlohmann::json> JobCache::load(const nlohmann::json& key) const {
  std::ifstream file(path_of(key));
  if (!file) return std::nullopt;
  nlohmann::json stored = nlohmann::json::parse(file, nullptr, false);
  const bool is_whole = stored.is_object() && stored.contains("key") && stored.contains("result");
  if (!is_whole || stored["key"] != key) {
    return std::nullopt;
  }
  return std::move(stored["result"]);
}

void JobCache::store(const nlohmann::json& key, const nlohmann::json& result) const {
  std::filesystem::create_directories(folder_);
  const nlohmann::json stored = {{"key", key}, {"result", result}};
  write_file_atomically(path_of(key).string(), stored.dump(1) + "\n");
}

Part part_from(const std::string& text) {
  Part part;
  const char* const end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, part.index);
  bool is_good = first == std::errc() && slash != end && *slash == '/';
  if (is_good) {
    const auto [rest, second] = std::from_chars(slash + 1, end, part.count);
    is_good = second == std::errc() && rest == end;
  }
  if (!is_good || part.index < 1 || part.index > part.count) {
    throw InvalidArgument(fmt::format(
        "--part is '{}': give I/N with I from 1 to N, e.g. 1/4 in the first of 4 processes", text));
  }
  return part;
}

std::vector<const Job*> jobs_of_part(const std::vector<Job>& jobs, const Part& part) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return jobs[a].cost > jobs[b].cost; });
  std::vector<double> load(part.count, 0.0);
  std::vector<std::size_t> mine;
  for (const std::size_t job : order) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += jobs[job].cost;
    if (static_cast<std::size_t>(least - load.begin()) + 1 == part.index) mine.push_back(job);
  }
  std::sort(mine.begin(), mine.end());
  std::vector<const Job*> chosen;
  chosen.reserve(mine.size());
  for (const std::size_t job : mine) chosen.push_back(&jobs[job]);
  return chosen;
}

RunSummary run_jobs(const std::vector<const Job*>& jobs, const JobCache& cache, Results& results,
                    RunContext& run) {
  RunSummary summary;
  std::vector<const Job*> open;
  for (const Job* job : jobs) {
    if (results.of(job->key) == nullptr) open.push_back(job);
  }
  summary.n_cached = jobs.size() - open.size();
  double cost_left = 0, cost_done = 0;
  for (const Job* job : open) cost_left += job->cost;
  if (!open.empty()) {
    run.say(fmt::format("{} jobs, {} of them done before; about {} left", jobs.size(),
                        summary.n_cached, duration(cost_left)));
  }
  const Context context = quiet_context(run.context());
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Job& job = *open[k];
    if (is_stopping(context)) break;
    cost_left -= job.cost;
    // Another process may have been here since the cache was read.
    if (auto stored = cache.load(job.key)) {
      results.keep(job.key, std::move(*stored));
      ++summary.n_cached;
      continue;
    }
    const auto job_start = std::chrono::steady_clock::now();
    nlohmann::json result;
    std::string trouble;
    try {
      result = job.run(context);
    } catch (const Stopped&) {
      break;
    } catch (const std::exception& e) {
      trouble = e.what();
    }
    // Some stages return what they have when stopped: such a result is not the job's.
    if (is_stopping(context)) break;
    if (trouble.empty()) {
      cache.store(job.key, result);
      // As it will be read: a report has the same bytes whether its numbers are new or stored.
      results.keep(job.key, nlohmann::json::parse(result.dump()));
      ++summary.n_done;
    } else {
      results.keep_failure(job.key, trouble);
      ++summary.n_failed;
    }
    cost_done += job.cost;
    const double left = seconds_since(start) * cost_left / cost_done;
    run.say(fmt::format("[{}/{}] {}: {}{}", summary.n_cached + summary.n_done + summary.n_failed,
                        jobs.size(), label_of(job.key), duration(seconds_since(job_start)),
                        left > 0 ? "; " + duration(left) + " left" : ""));
    if (!trouble.empty()) run.warn(fmt::format("{} failed: {}", label_of(job.key), trouble));
  }
  summary.was_stopped = is_stopping(context);
  return summary;
}

}  // namespace geotherm::cli
