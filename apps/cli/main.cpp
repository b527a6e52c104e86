// geotherm: parses the command line and runs one subcommand.
#include <fmt/core.h>

#include "command.hpp"
#include "exit_code.hpp"
#include "suggest.hpp"
#include "words.hpp"

namespace {

int run(int argc, char** argv) {
  using namespace geotherm::cli;
  CLI::App app;
  Action action;
  set_up(app, action);
  keep_words(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help and --version
  } catch (const CLI::ParseError& e) {
    say(explanation_of(e, app, argc, argv));
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
  return geotherm::cli::exit_code_of([&] { return run(argc, argv); });
}
