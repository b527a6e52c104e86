// geotherm: parses the command line, runs one subcommand, turns errors into messages and codes.
#include <fmt/core.h>

#include <csignal>
#include <new>

#include "command.hpp"
#include "geotherm/core.hpp"

namespace {

constexpr const char* description =
    "geotherm: maps of data that keep geodesics, how far apart points are along the shape\n"
    "the data lies on (Heat Geodesic Embedding).\n";

constexpr const char* footer =
    "Start here:\n"
    "  geotherm synth swiss-roll --noise 0.5 -o roll.npz\n"
    "  geotherm embed roll.npz:X -o map.csv --plot map.svg --html map.html\n"
    "  geotherm score --truth roll.npz --estimate map.csv\n"
    "\n"
    "Exit codes: 0 done, 1 something failed or the data cannot be used, 2 the command was\n"
    "misused, 130 interrupted.\n";

/// One line a complaint, each saying what is wrong and what to do.
void say(std::string_view message) {
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    fmt::print(stderr, "geotherm: {}\n", message.substr(begin, end - begin));
    begin = end + 1;
  }
}

int run_guarded(const geotherm::cli::Action& action) {
  using namespace geotherm::cli;
  try {
    return action();
  } catch (const geotherm::InvalidData& e) {
    say(e.what());
    return failure;
  } catch (const geotherm::InvalidArgument& e) {
    say(e.what());
    return misuse;
  } catch (const geotherm::Stopped& e) {
    say(e.what());
    return interrupted;
  } catch (const std::bad_alloc&) {
    say("not enough memory for this many points: try fewer rows");
    return failure;
  } catch (const std::exception& e) {
    say(e.what());
    return failure;
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace geotherm::cli;
  // A limit on file sizes is then an error of the write, with a message, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{description, "geotherm"};
  app.footer(footer);
  app.set_version_flag("--version", geotherm::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  Action action;
  add_synth(app, action);
  add_embed(app, action);
  add_distances(app, action);
  add_transform(app, action);
  add_score(app, action);
  add_methods(app, action);
  add_view(app, action);
  add_shell(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help and --version
  } catch (const CLI::ParseError& e) {
    say(e.what());
    const std::string deepest = app.get_subcommands().empty()
                                    ? std::string()
                                    : " " + app.get_subcommands().front()->get_name();
    fmt::print(stderr, "See 'geotherm{} --help'.\n", deepest);
    return misuse;
  }
  return run_guarded(action);
}
