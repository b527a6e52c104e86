// What the subcommands share: each is set up on the parser and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace geotherm::cli {

/// Exit codes, as documented in `geotherm --help`.
enum ExitCode : int { success = 0, failure = 1, misuse = 2, interrupted = 130 };

/// Filled by the parser: the chosen subcommand's work, returning an exit code.
using Action = std::function<int()>;

/// The whole program on `app`, which must live as long as `chosen`.
void set_up(CLI::App& app, Action& chosen);

void add_demo(CLI::App& app, Action& chosen);
void add_synth(CLI::App& app, Action& chosen);
void add_embed(CLI::App& app, Action& chosen);
void add_distances(CLI::App& app, Action& chosen);
void add_pseudotime(CLI::App& app, Action& chosen);
void add_transform(CLI::App& app, Action& chosen);
void add_update(CLI::App& app, Action& chosen);
void add_align(CLI::App& app, Action& chosen);
void add_methods(CLI::App& app, Action& chosen);
void add_score(CLI::App& app, Action& chosen);
void add_view(CLI::App& app, Action& chosen);
void add_reproduce(CLI::App& app, Action& chosen);
/// `completion` and `manual`: what they print is made from `app`, so they come last.
void add_shell(CLI::App& app, Action& chosen);

}  // namespace geotherm::cli
