// What every module shares: matrix views and owners, the sparse matrix, errors, outcomes,
// random numbers, and the Context that carries all that is not mathematics.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace geotherm {

/// Index of a point. Sizes, offsets and products of counts are std::size_t.
using Index = std::int32_t;

/// The library's version, "major.minor.patch".
const char* version() noexcept;

// ---------------------------------------------------------------------------------------------
// Matrices: row-major, one observation per row. Inputs are views, outputs are owned values.

template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  /// Distance between the starts of two rows, in elements. MatrixView{p, n, d}: rows touch.
  std::size_t stride = cols;

  std::span<T> row(std::size_t i) const { return {data + i * stride, cols}; }
  T& operator()(std::size_t i, std::size_t j) const { return data[i * stride + j]; }
  bool empty() const { return rows == 0 || cols == 0; }
  operator MatrixView<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, rows, cols, stride};
  }
};

/// Allocates without setting the elements, so that large results are written once.
template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UninitializedAllocator<U>;
  };
  template <class U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
  }
};

template <class T>
class Matrix {
 public:
  Matrix() = default;
  /// Elements are zero.
  Matrix(std::size_t rows, std::size_t cols) : Matrix(rows, cols, T{}) {}
  Matrix(std::size_t rows, std::size_t cols, T value)
      : rows_(rows), cols_(cols), data_(rows * cols, value) {}
  /// Elements are left unset: for results that are written completely.
  static Matrix uninitialized(std::size_t rows, std::size_t cols) {
    Matrix m;
    m.rows_ = rows;
    m.cols_ = cols;
    m.data_.resize(rows * cols);
    return m;
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  T* data() { return data_.data(); }
  const T* data() const { return data_.data(); }
  T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
  std::span<T> row(std::size_t i) { return {data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {data() + i * cols_, cols_}; }

  MatrixView<T> view() { return {data(), rows_, cols_, cols_}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_, cols_}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<T, UninitializedAllocator<T>> data_;
};

/// A table that is read in blocks of rows, from the first to the last and as often as wanted: for
/// tables larger than they need to be in memory. One thread at a time.
class RowBlocks {
 public:
  virtual ~RowBlocks() = default;
  /// Exact once the table has been read to its end; before that, as well as its source knows it.
  virtual std::size_t rows() const = 0;
  virtual std::size_t cols() const = 0;
  /// Copies the next rows into `out`, which has cols() columns, and says how many: as many as `out`
  /// has rows, fewer only where the table ends.
  virtual std::size_t next(MatrixView<double> out) = 0;
  /// Back to the first row.
  virtual void rewind() = 0;
};

/// Compressed sparse rows; within a row columns are ascending and distinct.
struct SparseMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<std::size_t> offsets = {0};  ///< rows + 1 entries
  std::vector<Index> indices = {};
  std::vector<double> values = {};

  std::size_t n_entries() const { return indices.size(); }
  std::span<const Index> row_indices(std::size_t i) const {
    return {indices.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  std::span<const double> row_values(std::size_t i) const {
    return {values.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  std::span<double> row_values(std::size_t i) {
    return {values.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  /// Position of entry (i, j) in `values`, or n_entries() where there is none. O(log row).
  std::size_t find(std::size_t i, Index j) const;
};

struct Triplet {
  Index row = 0;
  Index col = 0;
  double value = 0;
};
/// Entries in any order; equal positions are summed in the order given.
SparseMatrix sparse_from_triplets(std::size_t rows, std::size_t cols, std::vector<Triplet> entries);
SparseMatrix transpose(const SparseMatrix&);
/// n-by-n array: for small matrices and tests.
Matrix<double> to_dense(const SparseMatrix&);

// ---------------------------------------------------------------------------------------------
// Errors and outcomes.

/// The caller asked for something impossible: names the field, its value and the remedy.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};
/// The data is not what the method can use (a NaN, too few rows, a disconnected graph where that
/// was refused): names row and column where they are known.
class InvalidData : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};
/// A file could not be read or written, or its format is wrong. Names the path and the position.
class IoError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
/// The user stopped a stage that has no usable partial result.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How an iteration ended.
enum class Outcome { converged, iteration_limit, stopped };
std::string_view to_string(Outcome);

/// Throws InvalidArgument with all complaints, one per line; nothing happens where there are none.
void refuse_if_any(const std::vector<std::string>& complaints);

// ---------------------------------------------------------------------------------------------
// Context: threads, seed, progress, stopping, logs.

/// Runs numbered blocks; each block once, in any order, on any thread.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Calls work(0) ... work(n_blocks - 1) and waits. The first exception (by block number among
  /// those that ran) is thrown again here. Not reentrant from inside `work`.
  virtual void run(std::size_t n_blocks, const std::function<void(std::size_t)>& work) = 0;
  virtual std::size_t n_threads() const = 0;
};

/// A fixed set of threads; the calling thread is one of them.
class ThreadPool final : public Executor {
 public:
  /// 0: as many as the machine (or the process's CPU mask) has.
  explicit ThreadPool(std::size_t n_threads = 0);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  void run(std::size_t n_blocks, const std::function<void(std::size_t)>& work) override;
  std::size_t n_threads() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class LogLevel { info, warning };
enum class Next { go_on, stop_here };
struct Progress {
  std::string_view stage = {};  ///< "neighbours", "heat kernel", "layout", ...
  std::size_t done = 0;
  std::size_t total = 0;  ///< 0: unknown
  double objective = 0;   ///< stress or error of the current state, where there is one
};

/// Where the state of long stages is kept, so that an interrupted run can be resumed with the
/// same bits. One run at a time; stages are identified by name. checkpoint.hpp has one in a folder.
class Checkpoint {
 public:
  /// Bytes in order; reading past the end throws IoError.
  class Source {
   public:
    virtual ~Source() = default;
    virtual void read(void* to, std::size_t n_bytes) = 0;
    virtual std::size_t n_left() const = 0;
  };
  virtual ~Checkpoint() = default;
  /// Whether saving this many bytes now is worth the time.
  virtual bool is_due(std::size_t n_bytes) const = 0;
  /// Replaces what was kept for the previous stage. The pieces are written in order.
  virtual void save(std::string_view stage, std::span<const std::span<const char>> pieces) = 0;
  /// Null where there is no complete state.
  virtual std::unique_ptr<Source> load(std::string_view stage) = 0;
};

struct Context {
  /// Null: run on the calling thread. Results do not depend on it, to the bit.
  Executor* executor = nullptr;
  /// 0 is a seed like any other.
  std::uint64_t seed = 0;
  /// Cancellation, set from any thread.
  const std::atomic<bool>* stop = nullptr;
  /// Called from one thread at a time; may ask to stop.
  std::function<Next(const Progress&)> on_progress = {};
  /// Silent unless given. Warnings concern results.
  std::function<void(LogLevel, std::string_view)> on_log = {};
  /// Null: long stages keep nothing.
  Checkpoint* checkpoint = nullptr;

  void warn(std::string_view message) const {
    if (on_log) on_log(LogLevel::warning, message);
  }
  void info(std::string_view message) const {
    if (on_log) on_log(LogLevel::info, message);
  }
  /// Reports progress; go_on unless `stop` is set or the callback says so.
  Next report(const Progress&) const;
  /// The same for stages without a usable partial result: throws Stopped.
  void report_or_throw(const Progress&) const;
};

/// Calls work(begin, end) over [0, n) cut into blocks of `block` (the last may be shorter): the
/// cut does not depend on the number of threads. Blocks run in any order.
void parallel_for(const Context&, std::size_t n, std::size_t block,
                  const std::function<void(std::size_t begin, std::size_t end)>& work);

/// Sum of work(begin, end) over the same blocks, added in block order: the same bits for any
/// number of threads.
double parallel_sum(const Context&, std::size_t n, std::size_t block,
                    const std::function<double(std::size_t begin, std::size_t end)>& work);

// ---------------------------------------------------------------------------------------------
// Random numbers: our own generator and distributions, since the standard ones differ between
// platforms. Streams are derived from (seed, purpose, index).

class Rng {
 public:
  Rng(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);
  std::uint64_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform integer in [0, bound), bound > 0; unbiased.
  std::uint64_t below(std::uint64_t bound);
  double normal();
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace geotherm
