// Threads, seed, progress bar, Ctrl-C and warnings of one run, behind the library's Context.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "geotherm/core.hpp"
#include "whole_progress.hpp"

namespace geotherm::cli {

struct RunOptions {
  std::size_t threads = 0;
  std::uint64_t seed = 0;
  bool quiet = false;
};
void add_run_options(CLI::App& command, RunOptions& options);
/// For commands that draw nothing at random: without --seed.
void add_seedless_run_options(CLI::App& command, RunOptions& options);

/// While one lives, a signal ends the program at once, with the message and code of a stopped run.
/// For the time before anything is written, when libraries that know of no stop read the input:
/// HDF5 can be kept busy for ever by a damaged file.
class SignalsEndAtOnce {
 public:
  SignalsEndAtOnce();
  ~SignalsEndAtOnce();
  SignalsEndAtOnce(const SignalsEndAtOnce&) = delete;
  SignalsEndAtOnce& operator=(const SignalsEndAtOnce&) = delete;
};

class RunContext {
 public:
  explicit RunContext(const RunOptions& options);
  ~RunContext();
  RunContext(const RunContext&) = delete;
  RunContext& operator=(const RunContext&) = delete;

  const Context& context() const { return context_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Shown at once on stderr and kept for the manifest.
  void warn(std::string_view in_fields);
  /// One line on stderr on what was assumed or done, unless --quiet.
  void say(std::string_view message);
  /// The run makes several maps: the bar goes once through all of them.
  void set_parts(std::size_t n_parts) { whole_.set_parts(n_parts); }
  void next_part() { whole_.next_part(); }
  /// Takes the progress bar off the terminal.
  void clear_bar();
  /// The same, once all is computed: from here on a signal lets what is written be finished. Before
  /// that, a stage that does not stop within a second is ended with the process, unless its result
  /// so far would be written.
  void begin_to_write();

 private:
  Next show(const Progress& progress);
  void draw(std::string_view stage, const std::string& left);

  bool quiet_;
  bool on_terminal_;
  bool bar_shown_ = false;
  WholeProgress whole_;
  double start_ = 0;
  double last_shown_ = 0;
  std::vector<std::string> warnings_;
  std::unique_ptr<ThreadPool> pool_;
  Context context_;
};

}  // namespace geotherm::cli
