// geotherm: parses the command line, runs one subcommand, turns errors into messages and codes.
#include <fmt/core.h>

#include <csignal>
#include <new>

#include "command.hpp"
#include "geotherm/core.hpp"
#include "method_flags.hpp"
#include "suggest.hpp"

namespace {

/// One line a complaint, each saying what is wrong and what to do.
void say(std::string_view message) {
  std::size_t begin = 0;
  while (begin <= message.size()) {
    const std::size_t end = std::min(message.find('\n', begin), message.size());
    fmt::print(stderr, "geotherm: {}\n",
               geotherm::cli::in_flags(message.substr(begin, end - begin)));
    begin = end + 1;
  }
}

int run(int argc, char** argv) {
  using namespace geotherm::cli;
  CLI::App app;
  Action action;
  set_up(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help and --version
  } catch (const CLI::ParseError& e) {
    const std::string near = suggestion_for(app, argc, argv);
    say(near.empty() ? std::string(e.what()) : near);
    const std::string deepest = app.get_subcommands().empty()
                                    ? std::string()
                                    : " " + app.get_subcommands().front()->get_name();
    fmt::print(stderr, "See 'geotherm{} --help'.\n", deepest);
    return misuse;
  }
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace geotherm::cli;
  // A limit on file sizes is then an error of the write, with a message, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
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
