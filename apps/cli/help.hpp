// Layout of the help: groups of options, basic ones first, advanced ones behind --help-all.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "geotherm/options.hpp"

namespace geotherm::cli {

/// "Graph"
std::string group_title(OptionGroup);
/// The group whose options only --help-all shows.
std::string advanced(const std::string& group);
/// Text in lines of the width that help has beside its column of names.
std::string wrapped(const std::string& text);

/// Puts the options that have no group yet into this one; the help flags stay where they are.
void group_the_rest(CLI::App& command, const std::string& group);

/// Gives --help-all to every command; it is listed for those that have advanced options.
void offer_all_help(CLI::App& app);

/// Leaves out advanced groups unless --help-all was given.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  mutable bool shows_all_ = false;     // of the help being made
  mutable bool has_left_out_ = false;  // a group
};

}  // namespace geotherm::cli
