// geotherm reproduce: runs geotherm-reproduce, the program beside this one that has the paper's
// experiments, with the same words.
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "command.hpp"
#include "core/platform.hpp"
#include "geotherm/core.hpp"
#include "reproduce_options.hpp"
#include "words.hpp"

namespace geotherm::cli {
namespace {

/// The program beside this one; where there is none, by the name alone, which the path may know.
std::string program_beside() {
  constexpr const char* name = "geotherm-reproduce";
  std::error_code ignored;
  const std::filesystem::path self = detail::platform::path_of_program();
  const std::filesystem::path beside = self.parent_path() / name;
  return !self.empty() && std::filesystem::exists(beside, ignored) ? beside.string() : name;
}

int reproduce(const std::vector<std::string>& words) {
  detail::platform::become_program(program_beside(), words);
  throw IoError(fmt::format(
      "reproduce needs the program geotherm-reproduce, which is neither in the folder of this one "
      "nor on the path ({}): build it with 'make build'",
      std::strerror(errno)));
}

}  // namespace

void add_reproduce(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<ReproduceCommand>();
  CLI::App* command =
      app.add_subcommand("reproduce", "Reproduce the tables and figures of the paper");
  add_reproduce_options(*command, *options);
  command->callback(
      [options, &chosen] { chosen = [] { return reproduce(words_after_command()); }; });
}

}  // namespace geotherm::cli
