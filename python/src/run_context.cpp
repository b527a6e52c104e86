#include "run_context.hpp"

#include <utility>

namespace geotherm::python {

RunContext::RunContext(std::uint64_t seed, std::size_t n_threads, nb::object on_progress)
    : pool_(n_threads), callback_(std::move(on_progress)), has_callback_(!callback_.is_none()) {
  context_.executor = &pool_;
  context_.seed = seed;
  context_.stop = &stop_;
  context_.on_progress = [this](const Progress& progress) { return this->on_progress(progress); };
  context_.on_log = [this](LogLevel level, std::string_view message) {
    if (level != LogLevel::warning) return;
    const std::lock_guard lock(mutex_);
    warnings_.emplace_back(message);
  };
}

void RunContext::raise_pending() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::vector<std::string> RunContext::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

Next RunContext::on_progress(const Progress& progress) {
  // Signals are looked for fifty times per second at most: taking the lock back is not free.
  const auto now = std::chrono::steady_clock::now();
  const bool is_time = now - last_look_ > std::chrono::milliseconds(20);
  if (is_time) last_look_ = now;
  if (!is_time && !has_callback_) return Next::go_on;

  nb::gil_scoped_acquire held;
  try {
    if (is_time && PyErr_CheckSignals() != 0) throw nb::python_error();
    if (has_callback_) {
      const nb::object answer = callback_(nb::str(progress.stage.data(), progress.stage.size()),
                                          progress.done, progress.total, progress.objective);
      if (answer.is(nb::handle(Py_False))) stop_.store(true);
    }
  } catch (const nb::python_error&) {
    failure_ = std::current_exception();
    stop_.store(true);
  }
  return stop_.load() ? Next::stop_here : Next::go_on;
}

}  // namespace geotherm::python
