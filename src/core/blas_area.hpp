// The work area of the BLAS library where the address space is limited (ulimit -v). OpenBLAS takes
// 128 MB for each call that runs at once, and where the system refuses it asks again for ever. So
// under a low limit calls take turns, and the one area they share is taken while no thread of a
// pool runs: between looking for memory and the library's own request another could take it.
#pragma once

#include <mutex>

namespace geotherm::detail {

/// Held by a pool while its threads run. The first takes the area, where there is memory for it.
class ThreadsRun {
 public:
  ThreadsRun();
  ~ThreadsRun();
  ThreadsRun(const ThreadsRun&) = delete;
  ThreadsRun& operator=(const ThreadsRun&) = delete;
};

/// Held during a call into BLAS or LAPACK, which then runs on one thread; after the last such call
/// the library has the number of threads that the host gave it. Throws std::bad_alloc where the
/// limit leaves no memory for the area, or where it would have to be taken beside threads.
class BlasTurn {
 public:
  BlasTurn();
  ~BlasTurn();
  BlasTurn(const BlasTurn&) = delete;
  BlasTurn& operator=(const BlasTurn&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace geotherm::detail
