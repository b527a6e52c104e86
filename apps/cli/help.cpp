#include "help.hpp"

#include <algorithm>
#include <cctype>

namespace geotherm::cli {
namespace {

constexpr std::size_t name_width = 30;
constexpr std::size_t text_width = 68;
constexpr const char* advanced_mark = ", advanced";

/// Groups in the order in which their options were declared -> advanced ones after the basic group
/// of the same name. Groups are separated by an empty line and begin with their title.
std::string with_advanced_after_basic(const std::string& text) {
  std::vector<std::string> blocks;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    blocks.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  const std::string ending = std::string(advanced_mark) + ":\n";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t at = blocks[i].find(ending);
    if (at == std::string::npos || blocks[i].find('\n') != at + ending.size() - 1) continue;
    const std::string basic = blocks[i].substr(0, at) + ":\n";
    for (std::size_t j = i + 1; j < blocks.size(); ++j) {
      if (!blocks[j].starts_with(basic)) continue;
      const auto from = blocks.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(from, from + 1, blocks.begin() + static_cast<std::ptrdiff_t>(j) + 1);
      --i;
      break;
    }
  }
  std::string result;
  for (std::size_t i = 0; i < blocks.size(); ++i) result += (i == 0 ? "" : "\n\n") + blocks[i];
  return result;
}

}  // namespace

std::string group_title(OptionGroup group) {
  std::string title(to_string(group));
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string advanced(const std::string& group) { return group + advanced_mark; }

std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t width = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (width > 0 && width + 1 + word.size() > text_width) {
      result += '\n';
      width = 0;
    } else if (width > 0) {
      result += ' ';
      ++width;
    }
    result += word;
    width += word.size();
    begin = end + 1;
  }
  return result;
}

void group_the_rest(CLI::App& command, const std::string& group) {
  const std::string usual = command.get_help_ptr()->get_group();
  for (CLI::Option* option : command.get_options()) {
    const bool is_help = option == command.get_help_ptr() || option == command.get_help_all_ptr();
    if (!is_help && option->nonpositional() && option->get_group() == usual) option->group(group);
  }
}

void offer_all_help(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    const auto is_advanced = [](const std::string& group) {
      return group.ends_with(advanced_mark);
    };
    const bool has_more = std::ranges::any_of(command->get_groups(), is_advanced);
    CLI::Option* flag =
        command->set_help_all_flag("--help-all", "Print this help with the advanced options");
    if (!has_more) flag->group("");  // accepted, and the same as --help
  }
}

HelpFormatter::HelpFormatter() { column_width(name_width); }

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  shows_all_ = mode == CLI::AppFormatMode::All;
  has_left_out_ = false;
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  // The base class puts three newlines between groups.
  for (std::size_t at = text.find("\n\n\n"); at != std::string::npos;
       at = text.find("\n\n\n", at)) {
    text.erase(at, 1);
  }
  return with_advanced_after_basic(text);
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  if (!shows_all_ && group.ends_with(advanced_mark)) {
    has_left_out_ = true;
    return {};
  }
  return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return (has_left_out_ ? "More options: geotherm " + app->get_name() + " --help-all\n" : "") +
         CLI::Formatter::make_footer(app);
}

}  // namespace geotherm::cli
