// Threads, seed, progress, Ctrl-C and warnings of one call from Python, behind the library's
// Context.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "geotherm/core.hpp"

namespace geotherm::python {

namespace nb = nanobind;

class RunContext {
 public:
  /// `on_progress(stage, done, total, objective)` may return False to stop; None: no calls.
  RunContext(std::uint64_t seed, std::size_t n_threads, nb::object on_progress);
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  /// Runs work(context) with the interpreter lock released. Where the user stopped a stage that has
  /// no usable result, what stopped it (KeyboardInterrupt, the callback's error) is thrown here;
  /// where there is a result, it is returned and raise_pending() throws it later.
  template <class Work>
  auto call(Work&& work) {
    nb::gil_scoped_release released;
    try {
      return work(static_cast<const Context&>(context_));
    } catch (const Stopped&) {
      nb::gil_scoped_acquire held;
      raise_pending();
      throw;
    }
  }

  /// Throws the Python error that stopped the last call, once; nothing where there was none.
  void raise_pending();
  bool was_stopped() const { return stop_.load(); }
  std::size_t n_threads() const { return pool_.n_threads(); }
  std::vector<std::string> warnings() const;

 private:
  Next on_progress(const Progress& progress);

  ThreadPool pool_;
  Context context_;
  std::atomic<bool> stop_ = false;
  nb::object callback_;
  bool has_callback_;
  std::exception_ptr failure_;
  std::chrono::steady_clock::time_point last_look_;
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace geotherm::python
