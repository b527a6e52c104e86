#include "suggest.hpp"

#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string about_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return "there is no command '" + word + "'" + did_you_mean(word, names);
}

}  // namespace

std::string suggestion_for(const CLI::App& app, int argc, const char* const* argv) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const bool is_word = argc > 1 && argv[1][0] != '-';
    return is_word ? about_command(app, argv[1]) : "";
  }
  const std::vector<std::string> known = options_of(*chosen.front());
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]);
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name.size() < 3) continue;
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return "there is no option " + name + did_you_mean(name, known);
  }
  return "";
}

}  // namespace geotherm::cli
