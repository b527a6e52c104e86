#include "suggest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "geotherm/methods.hpp"
#include "geotherm/options.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::cli {
namespace {

bool has_digit_after_dash(std::string_view word) {
  return word.size() > 1 && word[0] == '-' &&
         (std::isdigit(static_cast<unsigned char>(word[1])) != 0);
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// What is said of the first option among the words that the command does not know; empty: none.
std::string about_option(const CLI::App& command, int argc, const char* const* argv) {
  const std::vector<std::string> known = options_of(command);
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]);
    const std::string name = word.substr(0, word.find('='));
    // "-" is a file, "--" ends the options, and "-1" is a value.
    if (name.size() < 2 || name[0] != '-' || name == "--" || has_digit_after_dash(name)) continue;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const std::string& one) {
      return one == name || (one.size() == 2 && one[1] != '-' && name.starts_with(one));
    });
    if (!is_known) return "there is no option " + name + did_you_mean(name, known);
  }
  return "";
}

std::string about_command(const CLI::App& app, const std::string& word) {
  if (word == "help" || word == "version") {
    return fmt::format("there is no command '{}'; did you mean 'geotherm --{}'?", word, word);
  }
  if (const Method* method = method_named(word); method != nullptr) {
    return fmt::format("'{}' is a method: geotherm embed FILE --method {}", word, method->name);
  }
  if (nearest_name(word, {"cluster"}) == "cluster") {
    return fmt::format("there is no command '{}': geotherm embed FILE --cluster", word);
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return "there is no command '" + word + "'" + did_you_mean(word, names);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// "--missing: zero not in {refuse,mean,knn}" -> "--missing is 'zero': give refuse, mean or knn".
std::string about_choice(const std::string& refusal) {
  const std::size_t colon = refusal.find(": "), open = refusal.find(" not in {", colon);
  const std::size_t close = refusal.find('}', open);
  if (colon == std::string::npos || open == std::string::npos || close == std::string::npos) {
    return "";
  }
  constexpr std::size_t length = std::char_traits<char>::length(" not in {");
  const std::string word = refusal.substr(colon + 2, open - colon - 2);
  const std::vector<std::string> choices =
      split_at_commas(refusal.substr(open + length, close - open - length));
  std::string listed;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    listed += (i == 0 ? "" : i + 1 == choices.size() ? " or " : ", ") + choices[i];
  }
  return fmt::format("{} is '{}': give {}{}", refusal.substr(0, colon), word, listed,
                     did_you_mean(word, choices));
}

constexpr const char* negative = " is less than 0";

/// "Could not convert: --seed = x" -> "--seed is 'x': give a number"; likewise of counts below 0.
std::string about_value(const std::string& refusal) {
  if (const std::size_t colon = refusal.find(": "); refusal.ends_with(negative)) {
    const std::size_t end = refusal.size() - std::strlen(negative);
    return fmt::format("{} is '{}': give a whole number from 0", refusal.substr(0, colon),
                       refusal.substr(colon + 2, end - colon - 2));
  }
  static const std::string start = "Could not convert: ";
  const std::size_t equals = refusal.find(" = ");
  if (!refusal.starts_with(start) || equals == std::string::npos) return "";
  return fmt::format("{} is '{}': give a number",
                     refusal.substr(start.size(), equals - start.size()),
                     refusal.substr(equals + 3));
}

/// A word that belongs to no option, and which the command does not take.
std::string about_extra(const CLI::App& app, const CLI::App& command) {
  const std::vector<std::string> extra = app.remaining(true);
  if (extra.empty()) return "";
  if (extra.front() == "help") {
    return fmt::format("did you mean 'geotherm {} --help'?", command.get_name());
  }
  const std::vector<const CLI::Option*> options = command.get_options();
  const bool takes_words =
      std::any_of(options.begin(), options.end(),
                  [](const CLI::Option* option) { return option->get_positional(); });
  return fmt::format("'{}' is not expected here{}", extra.front(),
                     takes_words ? "" : ": this command takes its files by options");
}

}  // namespace

std::string explanation_of(const CLI::ParseError& error, const CLI::App& app, int argc,
                           const char* const* argv) {
  const std::string said = error.what();
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    if (argc < 2) return "name a command; to look around first: geotherm demo";
    if (argv[1][0] != '-') return about_command(app, argv[1]);
    const std::string about = about_option(app, argc, argv);
    return about.empty() ? "name a command" : about;
  }
  const CLI::App& command = *chosen.front();
  for (const std::string& about : {about_option(command, argc, argv), about_choice(said),
                                   about_value(said), about_extra(app, command)}) {
    if (!about.empty()) return about;
  }
  return said;
}

void refuse_negative_counts(CLI::App& app) {
  static const std::vector<std::string> counts = {"N", "B", "K"};
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      const bool is_count =
          std::find(counts.begin(), counts.end(), option->get_type_name()) != counts.end();
      const bool is_of_library =
          !option->get_lnames().empty() && option_named(option->get_lnames().front()) != nullptr;
      if (!is_count || is_of_library) continue;
      option->check(CLI::Validator(
          [](const std::string& word) {
            return has_digit_after_dash(word) ? word + negative : std::string();
          },
          ""));
    }
  }
}

}  // namespace geotherm::cli
