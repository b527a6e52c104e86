// Runs that go on where another left off: SmacofRun and SgdRun with a Checkpoint, or with bytes.
#pragma once

#include "core/state.hpp"

namespace geotherm::detail {

/// For the public functions of Smacof and SgdMds.
template <class Run>
void restore_run(Run& run, std::string_view bytes) {
  typename Run::State state;
  try {
    state_from_bytes(bytes, state);
  } catch (const IoError& e) {
    throw InvalidData(std::string("the state cannot be taken up: ") + e.what());
  }
  if (!run.restore(std::move(state))) {
    throw InvalidData("the state cannot be taken up: it is of a problem of another size");
  }
}

/// Puts the run where an earlier one was, if that kept anything of this stage.
template <class Run>
void take_up_run(Run& run, std::string_view stage, const Context& context) {
  typename Run::State state;
  if (!take_up(context, stage, state) || run.restore(std::move(state))) return;
  context.warn("checkpoint: stage '" + std::string(stage) +
               "' is done again: what was kept is of another size");
}

/// run_to, keeping the state now and then, and where the user stops.
template <class Run>
void run_on(Run& run, std::size_t sweep, std::string_view stage, const Context& context) {
  run.run_to(sweep, [&] { keep(context, stage, run.state()); });
  if (run.state().outcome == Outcome::stopped) {
    keep(context, stage, run.state(), When::at_once);
  }
}

}  // namespace geotherm::detail
