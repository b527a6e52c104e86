// Context for R: the work runs on a thread of its own, while R's thread listens for Ctrl-C and
// draws the progress bar. Nothing of R is touched by the work.
#pragma once

#include <atomic>
#include <cpp11.hpp>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "geotherm/geotherm.hpp"

namespace geotherm::r {

class Run {
 public:
  /// From list(seed, threads, progress); threads 0: as many as the machine has.
  explicit Run(const cpp11::list& settings);

  /// Waits for the work; throws what it threw. False where the user stopped it.
  template <class Work>
  bool operator()(Work&& work) {
    return wait_for([&](const Context& context) { work(context); });
  }
  cpp11::writable::strings warnings() const;

 private:
  bool wait_for(const std::function<void(const Context&)>& work);
  void draw();

  ThreadPool pool_;
  Context context_;
  std::atomic<bool> stop_ = false;
  bool shows_progress_ = false;
  std::mutex mutex_;
  std::string stage_;
  double share_ = -1;
  std::size_t n_drawn_ = 0;
  std::vector<std::string> warnings_;
};

/// What a native function returns where the user stopped it: R signals an interrupt.
cpp11::writable::list interrupted();

}  // namespace geotherm::r
