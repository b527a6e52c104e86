// The thread pool, and loops whose cut and order of summation do not depend on it.
#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/blas_area.hpp"
#include "core/platform.hpp"
#include "geotherm/core.hpp"

namespace geotherm {
namespace {

std::size_t n_cores() {
  if (const std::size_t n = detail::platform::n_usable_cores(); n > 0) return n;
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : n;
}

}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  const std::function<void(std::size_t)>* work = nullptr;
  std::size_t n_blocks = 0;
  std::atomic<std::size_t> next_block{0};
  std::size_t n_busy = 0;
  std::uint64_t generation = 0;
  bool closing = false;
  std::exception_ptr failure;
  std::size_t failed_block = 0;
  std::vector<std::thread> threads;
  std::optional<detail::ThreadsRun> running;

  void take_blocks() {
    for (;;) {
      const std::size_t block = next_block.fetch_add(1);
      if (block >= n_blocks) return;
      try {
        (*work)(block);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure || block < failed_block) {
          failure = std::current_exception();
          failed_block = block;
        }
        next_block.store(n_blocks);  // the rest would be thrown away
      }
    }
  }

  void live() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return closing || generation != seen; });
      if (closing) return;
      seen = generation;
      lock.unlock();
      take_blocks();
      lock.lock();
      if (--n_busy == 0) finished.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t n_threads) : state_(std::make_unique<State>()) {
  // More than any machine has cores: threads without end would take its memory.
  constexpr std::size_t most_threads = 1024;
  n_threads = n_threads == 0 ? n_cores() : std::min(n_threads, most_threads);
  if (n_threads > 1) state_->running.emplace();
  for (std::size_t i = 1; i < n_threads; ++i) {
    // Where the system gives no more threads, or no memory for them, those that started do the
    // work: an exception from here would leave them without anybody to end them.
    try {
      state_->threads.emplace_back([state = state_.get()] { state->live(); });
    } catch (const std::exception&) {
      return;
    }
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

std::size_t ThreadPool::n_threads() const { return state_->threads.size() + 1; }

void ThreadPool::run(std::size_t n_blocks, const std::function<void(std::size_t)>& work) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.work = &work;
    s.n_blocks = n_blocks;
    s.next_block.store(0);
    s.failure = nullptr;
    s.n_busy = s.threads.size();
    ++s.generation;
  }
  s.wake.notify_all();
  s.take_blocks();
  std::unique_lock lock(s.mutex);
  s.finished.wait(lock, [&] { return s.n_busy == 0; });
  s.work = nullptr;
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

Next Context::report(const Progress& progress) const {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) return Next::stop_here;
  return on_progress ? on_progress(progress) : Next::go_on;
}

void Context::report_or_throw(const Progress& progress) const {
  if (report(progress) == Next::stop_here) {
    throw Stopped("stopped by the user during: " + std::string(progress.stage));
  }
}

void parallel_for(const Context& context, std::size_t n, std::size_t block,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  if (n == 0) return;
  const std::size_t n_blocks = (n + block - 1) / block;
  const auto run_block = [&](std::size_t b) { work(b * block, std::min(n, (b + 1) * block)); };
  if (context.executor == nullptr || n_blocks == 1) {
    for (std::size_t b = 0; b < n_blocks; ++b) run_block(b);
  } else {
    context.executor->run(n_blocks, run_block);
  }
}

double parallel_sum(const Context& context, std::size_t n, std::size_t block,
                    const std::function<double(std::size_t, std::size_t)>& work) {
  std::vector<double> partial((n + block - 1) / block);
  parallel_for(context, n, block, [&](std::size_t begin, std::size_t end) {
    partial[begin / block] = work(begin, end);
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace geotherm
