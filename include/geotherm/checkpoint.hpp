// A Checkpoint in a folder: what a long run keeps on disk so that it can be interrupted and
// resumed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "geotherm/core.hpp"

namespace geotherm {

/// One file per stage, each replaced atomically, and a file `run.txt` that identifies
/// the run. A damaged stage is repeated, with a warning. If saving fails later on (a full disk),
/// the run continues without it, with a warning.
class CheckpointFolder final : public Checkpoint {
 public:
  /// `run` says by name and value what makes this run this one: options, seed, input (fingerprint);
  /// the library's version is added. A missing folder is made. Throws InvalidArgument where the
  /// folder holds another run (naming what differs) or other files, IoError where it cannot be
  /// used. `every_s`: minimal seconds between two saves; large states are saved less
  /// often, so that at most a tenth of the time goes into it. 0: as often as possible. Warnings go
  /// to `context`.
  CheckpointFolder(const std::string& folder, std::map<std::string, std::string> run,
                   double every_s, const Context& context = {});
  ~CheckpointFolder() override;

  /// Whether there is a state of an earlier run to resume from.
  bool is_resumed() const;
  /// Whether no state is kept, of this run or an earlier one.
  bool is_empty() const;
  /// Removes what it keeps, and the folder where nothing else is in it: the run is done.
  void remove();

  bool is_due(std::size_t n_bytes) const override;
  void save(std::string_view stage, std::span<const std::span<const char>> pieces) override;
  std::unique_ptr<Source> load(std::string_view stage) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace geotherm
