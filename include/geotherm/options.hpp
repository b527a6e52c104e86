// The options of the methods, each described once: name, values, default, help, and who reads it.
// The program, the Python package, manifests and the reference page are made from this table.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "geotherm/methods.hpp"

namespace geotherm {

/// What may be given for an option: nothing (the choice is left open), a number, or a word.
using OptionValue = std::variant<std::monostate, std::int64_t, double, std::string>;

enum class OptionGroup { basic, graph, heat, distance, layout, scale };
std::string_view to_string(OptionGroup);
enum class OptionLevel { basic, advanced };
/// bytes: a whole number that may carry a unit ("4GB", "500 MB", "1.5GiB").
enum class NumberKind { none, real, whole, bytes };

/// Numbers that an option takes.
struct OptionRange {
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool is_open_below = false;  ///< `least` itself is not taken
  bool is_open_above = false;
};

struct Option {
  std::string_view name;  ///< with underscores, as Python and manifests have it; --with-hyphens
  OptionGroup group = OptionGroup::basic;
  OptionLevel level = OptionLevel::advanced;
  Parts read_by = 0;
  NumberKind number = NumberKind::none;
  OptionRange range = {};
  std::vector<std::string_view> words = {};
  /// What leaving it open amounts to, where the method has no choice of its own ("auto", "none").
  /// May be given as a word too. Empty: the option has a value always.
  std::string_view left_open = {};
  std::string_view placeholder = {};  ///< in help: "N", "RANK"
  std::string_view counted = {};      ///< in errors: "a number of components"
  std::string_view help = {};         ///< one or two short sentences
  /// Its value matters only while another option has one of these; "number" stands for any.
  std::string_view only_with = {};
  std::vector<std::string_view> only_with_values = {};
  /// Other spellings, of the command line and of the words.
  std::vector<std::string_view> aliases = {};
  std::vector<std::pair<std::string_view, std::string_view>> word_aliases = {};
  OptionValue (*get)(const MethodOptions&) = nullptr;
  /// Takes what fits (see fit_of) unchecked; an empty value restores the default.
  void (*set)(MethodOptions&, const OptionValue&) = nullptr;

  bool may_be_open() const { return !left_open.empty(); }
  /// Off or on, and nothing else: --name alone is on.
  bool is_flag() const { return words.size() == 2 && words[0] == "off" && words[1] == "on"; }
};

/// Every option, in the order in which help shows them.
std::span<const Option> options();
/// By name; hyphens are underscores. Null where there is none.
const Option* option_named(std::string_view name);
bool reads(const Method&, const Option&);
/// The option that a method reads under this name or alias; null where it reads none.
const Option* option_of(const Method&, std::string_view name);

/// "auto, none or a whole number from 2".
std::string accepted_by(const Option&);
/// What true and false mean where a front end has them: "off", and "on" or "auto". Empty where the
/// option has no such words.
std::optional<std::string> word_for(const Option&, bool is_on);
/// As the command line has it: left open, the word for that.
std::string to_text(const Option&, const OptionValue&);
/// --kernel-floor
std::string flag_of(const Option&);

enum class Fit { fits, wrong_kind, wrong_value };
/// Whether a value may be given; words may be aliases.
Fit fit_of(const Option&, const OptionValue&);
/// A word of the command line; throws InvalidArgument that names the option and what it takes.
OptionValue parse_option(const Option&, std::string_view text);
/// Sets a checked value; throws InvalidArgument for what does not fit.
void set_option(MethodOptions&, const Option&, const OptionValue&);

/// Values by the name or alias under which they were given.
using GivenOptions = std::map<std::string, OptionValue, std::less<>>;
/// The options of a method, from those given; what it does not read is left out.
MethodOptions options_for(const Method&, const GivenOptions&);
/// Complaints about given options that none of the methods reads.
std::vector<std::string> unread_options(std::span<const Method* const>, const GivenOptions&);
/// Warnings about given options that do nothing because of another's value.
std::vector<std::string> idle_options(const Method&, const GivenOptions&);

}  // namespace geotherm
