// The program's tree of commands and options.
#include "command.hpp"
#include "geotherm/core.hpp"
#include "help.hpp"
#include "suggest.hpp"

namespace geotherm::cli {
namespace {

constexpr const char* description =
    "geotherm: maps of high-dimensional data that preserve geodesics, the distances between\n"
    "points along the shape of the data (Heat Geodesic Embedding).\n";

constexpr const char* footer =
    "Start here:  geotherm demo\n"
    "  geotherm embed cells.csv -o map.csv --html map.html\n"
    "\n"
    "Exit codes: 0 done, 1 failed or the data cannot be used, 2 misused, 130 interrupted.\n";

}  // namespace

void set_up(CLI::App& app, Action& chosen) {
  app.name("geotherm");
  app.description(description);
  app.footer(footer);
  app.set_version_flag("--version", geotherm::version());
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  add_demo(app, chosen);
  add_synth(app, chosen);
  add_embed(app, chosen);
  add_distances(app, chosen);
  add_pseudotime(app, chosen);
  add_transform(app, chosen);
  add_update(app, chosen);
  add_align(app, chosen);
  add_score(app, chosen);
  add_methods(app, chosen);
  add_view(app, chosen);
  add_reproduce(app, chosen);
  add_shell(app, chosen);
  offer_all_help(app);
  refuse_negative_counts(app);
}

}  // namespace geotherm::cli
