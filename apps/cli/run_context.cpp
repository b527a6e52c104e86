#include "run_context.hpp"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "command.hpp"
#include "core/platform.hpp"
#include "flag_names.hpp"

namespace geotherm::cli {
namespace {

namespace platform = detail::platform;

std::atomic<bool> stop_requested{false};
std::atomic<bool> signals_end_at_once{false};
// Nothing is lost where the process ends: no map that could be written as far as it came, no file
// half written.
std::atomic<bool> has_nothing_to_keep{false};

[[noreturn]] void end_with(std::string_view message) {
  platform::write_in_handler(platform::Stream::error, message);
  std::_Exit(interrupted);
}

// A stage that has not heard of the signal by now is inside a library that knows of no stop.
void on_deadline() {
  if (has_nothing_to_keep.load()) end_with("geotherm: stopped\n");
}

// The first signal asks the run to stop; stages answer at their next step, and where they do not,
// the deadline ends the process. A second signal ends it at once.
extern "C" void on_signal(int signal) {
  if (signals_end_at_once.load()) end_with("geotherm: stopped while reading\n");
  stop_requested.store(true);
  std::signal(signal, SIG_DFL);
  constexpr int patience_ms = 700;
  platform::set_alarm(patience_ms);
}

double now_s() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::string time_left(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s left", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min left", seconds / 60);
  return fmt::format("{:.1f} h left", seconds / 3600);
}

void add_threads(CLI::App& command, RunOptions& options) {
  command
      .add_option("--threads", options.threads,
                  "Number of threads; 0: all cores. Results do not depend on it")
      ->type_name("N")
      ->capture_default_str()
      ->group("Run");
}

void add_quiet(CLI::App& command, RunOptions& options) {
  command.add_flag("--quiet", options.quiet, "Only warnings and errors on stderr")->group("Run");
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  add_threads(command, options);
  command.add_option("--seed", options.seed, "The same seed gives the same result, to the bit")
      ->type_name("N")
      ->capture_default_str()
      ->group("Run");
  add_quiet(command, options);
}

void add_seedless_run_options(CLI::App& command, RunOptions& options) {
  add_threads(command, options);
  add_quiet(command, options);
}

SignalsEndAtOnce::SignalsEndAtOnce() { signals_end_at_once.store(true); }

SignalsEndAtOnce::~SignalsEndAtOnce() { signals_end_at_once.store(false); }

RunContext::RunContext(const RunOptions& options)
    : quiet_(options.quiet),
      on_terminal_(platform::is_terminal(platform::Stream::error)),
      pool_(std::make_unique<ThreadPool>(options.threads)) {
  stop_requested.store(false);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  platform::on_alarm(on_deadline);
  has_nothing_to_keep.store(true);
  context_.executor = pool_.get();
  context_.seed = options.seed;
  context_.stop = &stop_requested;
  context_.on_progress = [this](const Progress& progress) { return show(progress); };
  context_.on_log = [this](LogLevel level, std::string_view message) {
    if (level == LogLevel::warning) {
      warn(message);
    } else {
      say(message);
    }
  };
}

RunContext::~RunContext() {
  if (last_shown_ > 0 && std::uncaught_exceptions() == 0 && !stop_requested.load()) {
    whole_.finish();
    draw("done", "");
  }
  clear_bar();
  has_nothing_to_keep.store(false);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

void RunContext::warn(std::string_view in_fields) {
  clear_bar();
  const std::string message = in_flags(in_fields);
  warnings_.push_back(message);
  fmt::print(stderr, "geotherm: warning: {}\n", message);
}

void RunContext::say(std::string_view message) {
  if (quiet_) return;
  clear_bar();
  fmt::print(stderr, "{}\n", in_flags(message));
}

void RunContext::clear_bar() {
  if (!bar_shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  bar_shown_ = false;
}

void RunContext::begin_to_write() {
  clear_bar();
  has_nothing_to_keep.store(false);
}

Next RunContext::show(const Progress& progress) {
  // A layout that is stopped is written as far as it came.
  has_nothing_to_keep.store(progress.stage != "layout");
  if (!on_terminal_ || quiet_) return Next::go_on;
  const double now = now_s();
  if (start_ == 0) start_ = now;
  const double of_stage = progress.total == 0 ? 0.0
                                              : static_cast<double>(progress.done) /
                                                    static_cast<double>(progress.total);
  whole_.report(progress.stage, of_stage, now);
  // Nothing for runs under a second; then ten times per second at most.
  if (now - start_ < 1.0 || now - last_shown_ < 0.1) return Next::go_on;
  last_shown_ = now;
  const std::optional<double> left = whole_.seconds_left(now);
  draw(progress.stage, left ? time_left(*left) : "");
  return Next::go_on;
}

void RunContext::draw(std::string_view stage, const std::string& left) {
  bar_shown_ = true;
  constexpr std::size_t width = 28;
  const auto filled = static_cast<std::size_t>(whole_.share() * width);
  fmt::print(stderr, "\r\x1b[K[{}{}] {:3.0f} %  {:<16} {}", std::string(filled, '='),
             std::string(width - filled, ' '), std::floor(100 * whole_.share()), stage, left);
  std::fflush(stderr);
}

}  // namespace geotherm::cli
