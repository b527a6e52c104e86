#include "run.hpp"

#include <R_ext/Print.h>
#include <R_ext/Utils.h>

#include <chrono>
#include <condition_variable>
#include <thread>

#include "arrays.hpp"

namespace geotherm::r {
namespace {

void check_interrupt(void*) { R_CheckUserInterrupt(); }
/// R would jump over the C++ frames: the check runs in a frame of its own.
bool is_interrupted() { return R_ToplevelExec(check_interrupt, nullptr) == FALSE; }

}  // namespace

Run::Run(const cpp11::list& settings)
    : pool_(static_cast<std::size_t>(cpp11::as_cpp<int>(settings["threads"]))) {
  context_.executor = &pool_;
  context_.seed = static_cast<std::uint64_t>(cpp11::as_cpp<double>(settings["seed"]));
  context_.stop = &stop_;
  shows_progress_ = cpp11::as_cpp<bool>(settings["progress"]);
  context_.on_progress = [this](const Progress& progress) {
    const std::lock_guard lock(mutex_);
    stage_ = progress.stage;
    share_ = progress.total == 0
                 ? -1
                 : static_cast<double>(progress.done) / static_cast<double>(progress.total);
    return stop_.load() ? Next::stop_here : Next::go_on;
  };
  context_.on_log = [this](LogLevel level, std::string_view message) {
    if (level != LogLevel::warning) return;
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(message);
  };
}

void Run::draw() {
  std::string line;
  {
    const std::lock_guard lock(mutex_);
    if (stage_.empty()) return;
    constexpr int kWidth = 30;
    const int filled = share_ < 0 ? 0 : static_cast<int>(share_ * kWidth);
    line = "[" + std::string(static_cast<std::size_t>(filled), '=') +
           std::string(static_cast<std::size_t>(kWidth - filled), ' ') + "] " + stage_;
  }
  const std::size_t length = line.size();
  if (length < n_drawn_) line.append(n_drawn_ - length, ' ');
  n_drawn_ = length;
  REprintf("\r%s", line.c_str());
}

bool Run::wait_for(const std::function<void(const Context&)>& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool is_done = false;
  std::exception_ptr failure;
  std::thread thread([&] {
    try {
      work(context_);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    is_done = true;
    ended.notify_one();
  });
  bool was_interrupted = false;
  int n_looks = 0;
  for (std::unique_lock lock(mutex); !is_done;) {
    ended.wait_for(lock, std::chrono::milliseconds(50));
    if (is_done) break;
    lock.unlock();
    if (!was_interrupted && is_interrupted()) {
      was_interrupted = true;
      stop_.store(true);
    }
    // Short runs draw nothing.
    if (shows_progress_ && ++n_looks > 20 && n_looks % 4 == 0) draw();
    lock.lock();
  }
  thread.join();
  if (n_drawn_ > 0) REprintf("\r%s\r", std::string(n_drawn_, ' ').c_str());
  n_drawn_ = 0;
  if (was_interrupted) return false;
  if (failure) std::rethrow_exception(failure);
  return true;
}

cpp11::writable::strings Run::warnings() const { return to_r(warnings_); }

cpp11::writable::list interrupted() {
  using namespace cpp11::literals;
  return cpp11::writable::list({"interrupted"_nm = true});
}

}  // namespace geotherm::r
