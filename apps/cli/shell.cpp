// geotherm completion, geotherm manual: scripts for shells and the man page, from the very tree of
// commands and options that the parser uses, so that they cannot drift from it.
#include <fmt/core.h>

#include <algorithm>

#include "command.hpp"
#include "geotherm/options.hpp"

namespace geotherm::cli {
namespace {

struct OptionWords {
  std::vector<std::string> names;    ///< "-o", "--output"
  std::vector<std::string> choices;  ///< where only some words are taken
  std::string value;                 ///< "FILE"; empty for a flag
  std::string description;
  bool is_positional = false;
  bool takes_file = false;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The parser names the words it takes when it is asked for one that it does not.
std::vector<std::string> choices_of(const CLI::Option& option) {
  for (int i = 0;; ++i) {
    const CLI::Validator* validator = nullptr;
    try {
      validator = const_cast<CLI::Option&>(option).get_validator(i);
    } catch (const CLI::OptionNotFound&) {
      return {};
    }
    std::string impossible = "\x01";
    const std::string refusal = (*validator)(impossible);
    const std::size_t open = refusal.find("not in {"), close = refusal.rfind('}');
    if (open == std::string::npos || close == std::string::npos) continue;
    return split(refusal.substr(open + 8, close - open - 8), ',');
  }
}

/// Words that an option of the methods takes, from the library's table.
std::vector<std::string> table_words(const CLI::Option& option) {
  const Option* known =
      option.get_lnames().empty() ? nullptr : option_named(option.get_lnames()[0]);
  if (known == nullptr) return {};
  std::vector<std::string> words(known->words.begin(), known->words.end());
  if (known->may_be_open() && std::ranges::find(words, known->left_open) == words.end()) {
    words.emplace_back(known->left_open);
  }
  return words;
}

OptionWords words_of(const CLI::Option& option, bool is_of_method) {
  OptionWords words;
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  words.is_positional = words.names.empty();
  if (words.is_positional) words.names.push_back(option.get_name(true));
  words.description = option.get_description();
  std::replace(words.description.begin(), words.description.end(), '\n', ' ');
  if (option.get_expected_max() == 0) return words;
  words.choices = choices_of(option);
  if (words.choices.empty() && is_of_method) words.choices = table_words(option);
  std::string type = option.get_type_name();
  type.resize(std::min(type.find(":{"), type.size()));
  words.value = type.empty() ? (words.choices.empty() ? "VALUE" : "WORD") : type;
  words.takes_file = words.value == "FILE" || words.is_positional;
  return words;
}

std::vector<OptionWords> options_of(const CLI::App& command) {
  std::vector<OptionWords> options;
  const bool has_methods = command.get_option_no_throw("--method") != nullptr;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) options.push_back(words_of(*option, has_methods));
  }
  return options;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Inside single quotes of a shell.
std::string in_quotes(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result;
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return joined(names);
}

std::string bash_script(const CLI::App& app) {
  std::string text =
      "# bash completion for geotherm\n_geotherm() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=''\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '" +
      names_of_commands(app) + " --help --version' -- \"$cur\"))\n    return\n  fi\n" +
      "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* command : commands_of(app)) {
    text += "    " + command->get_name() + ")\n      case $prev in\n";
    std::vector<std::string> all, free_valued;
    for (const OptionWords& option : options_of(*command)) {
      if (option.is_positional) continue;
      all.insert(all.end(), option.names.begin(), option.names.end());
      if (!option.choices.empty()) {
        text += "        " + joined(option.names, "|") + ") COMPREPLY=($(compgen -W '" +
                joined(option.choices) + "' -- \"$cur\")); return ;;\n";
      } else if (option.takes_file) {
        text += "        " + joined(option.names, "|") +
                ") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n";
      } else if (!option.value.empty()) {
        free_valued.insert(free_valued.end(), option.names.begin(), option.names.end());
      }
    }
    if (!free_valued.empty()) text += "        " + joined(free_valued, "|") + ") return ;;\n";
    text += "      esac\n      words='" + joined(all) + "' ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _geotherm geotherm\n";
}

std::string zsh_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    result += c;
  }
  return in_quotes(result);
}

std::string zsh_script(const CLI::App& app) {
  std::string text = "#compdef geotherm\n_geotherm() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app)) {
    text += "    '" + command->get_name() + ":" + zsh_escaped(command->get_description()) + "'\n";
  }
  text +=
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  case $words[2] in\n";
  for (const CLI::App* command : commands_of(app)) {
    text += "    " + command->get_name() + ")\n      shift words; ((CURRENT--))\n      _arguments";
    for (const OptionWords& option : options_of(*command)) {
      std::string value;
      if (!option.choices.empty()) {
        value = ":word:(" + joined(option.choices) + ")";
      } else if (option.takes_file) {
        value = ":file:_files";
      } else if (!option.value.empty()) {
        value = ":" + zsh_escaped(option.value) + ":";
      }
      if (option.is_positional) {
        text += " \\\n        '*" + value + "'";
        continue;
      }
      for (const std::string& name : option.names) {
        text += " \\\n        '" + name + "[" + zsh_escaped(option.description) + "]" + value + "'";
      }
    }
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\ncompdef _geotherm geotherm\n";
}

std::string fish_script(const CLI::App& app) {
  std::string text =
      "# fish completion for geotherm\n"
      "complete -c geotherm -n __fish_use_subcommand -f\n";
  for (const CLI::App* command : commands_of(app)) {
    text += "complete -c geotherm -n __fish_use_subcommand -a " + command->get_name() + " -d '" +
            in_quotes(command->get_description()) + "'\n";
    for (const OptionWords& option : options_of(*command)) {
      if (option.is_positional) continue;
      text += "complete -c geotherm -n '__fish_seen_subcommand_from " + command->get_name() + "'";
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.choices.empty()) {
        text += " -x -a '" + joined(option.choices) + "'";
      } else if (!option.value.empty()) {
        text += option.takes_file ? " -r" : " -x";
      }
      text += " -d '" + in_quotes(option.description) + "'\n";
    }
  }
  return text;
}

/// For the man page: no line may begin with a control character, minus signs are written out.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) result += "\\&";
    if (text[i] == '\\') {
      result += "\\e";
    } else if (text[i] == '-') {
      result += "\\-";
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string manual(const CLI::App& app) {
  std::string text = fmt::format(
      ".TH GEOTHERM 1 \"\" \"geotherm {}\" \"User Commands\"\n.SH NAME\n"
      "geotherm \\- geodesic-preserving maps of data\n.SH SYNOPSIS\n",
      version());
  for (const CLI::App* command : commands_of(app)) {
    text += ".B geotherm " + roff(command->get_name()) + "\n";
    for (const OptionWords& option : options_of(*command)) {
      if (option.is_positional) text += "\\fI" + roff(option.names.front()) + "\\fR\n";
    }
    text += "[\\fIoptions\\fR]\n.br\n";
  }
  text += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n";
  for (const CLI::App* command : commands_of(app)) {
    std::string title = command->get_name();
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    text += ".SH \"GEOTHERM " + roff(title) + "\"\n" + roff(command->get_description()) + ".\n";
    for (const OptionWords& option : options_of(*command)) {
      std::vector<std::string> names;
      for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
      text += ".TP\n" + joined(names, ", ");
      if (!option.value.empty() && !option.is_positional) {
        text += " \\fI" + roff(option.value) + "\\fR";
      }
      text += "\n" + roff(option.description) + "\n";
      if (!option.choices.empty()) text += "One of: " + roff(joined(option.choices, ", ")) + ".\n";
    }
    const std::string footer = command->get_footer();
    if (!footer.empty()) text += ".PP\n.nf\n" + roff(footer) + ".fi\n";
  }
  return text +
         ".SH EXIT STATUS\n0 done, 1 something failed or the data cannot be used, 2 the "
         "command was misused, 130 interrupted.\n";
}

}  // namespace

void add_shell(CLI::App& app, Action& chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion script for a shell");
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completion->footer(
      "Examples:\n"
      "  geotherm completion bash > ~/.local/share/bash-completion/completions/geotherm\n"
      "  geotherm completion zsh > ~/.zfunc/_geotherm\n"
      "  geotherm completion fish > ~/.config/fish/completions/geotherm.fish\n");
  completion->callback([shell, &app, &chosen] {
    chosen = [shell, &app] {
      fmt::print("{}", *shell == "bash"  ? bash_script(app)
                       : *shell == "zsh" ? zsh_script(app)
                                         : fish_script(app));
      return static_cast<int>(success);
    };
  });
  CLI::App* man = app.add_subcommand("manual", "Print the manual, as a man page");
  man->footer("Example:\n  geotherm manual > geotherm.1 && man ./geotherm.1\n");
  man->callback([&app, &chosen] {
    chosen = [&app] {
      fmt::print("{}", manual(app));
      return static_cast<int>(success);
    };
  });
}

}  // namespace geotherm::cli
