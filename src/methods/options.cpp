// Options by name: what fits, what a method reads, and from words to MethodOptions.
#include "geotherm/options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "geotherm/spelling.hpp"
#include "methods/option_access.hpp"

namespace geotherm {
namespace {

std::string number_text(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc{} ? std::string(text, end) : std::string();
}

std::string underscored(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}

/// Words are written with hyphens; Python people write underscores.
std::string_view canonical_word(const Option& option, std::string_view word) {
  for (const std::string_view known : option.words) {
    if (underscored(known) == underscored(word)) return known;
  }
  for (const auto& [alias, known] : option.word_aliases) {
    if (alias == word) return known;
  }
  return option.may_be_open() && word == option.left_open ? option.left_open : std::string_view();
}

bool is_word_for_open(const Option& option, std::string_view word) {
  return word == option.left_open && std::ranges::find(option.words, word) == option.words.end();
}

template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// "4GB", "500 MB", "1.5GiB", or bytes.
std::optional<std::int64_t> bytes_in(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || !(value > 0)) return std::nullopt;
  std::string unit(end, word.data() + word.size());
  std::erase(unit, ' ');
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const double step = unit.ends_with("IB") ? 1024 : 1000;
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t place = std::string_view("KMGT").find(unit[0]);
    const std::string rest = unit.substr(1);
    if (place == std::string::npos || (!rest.empty() && rest != "B" && rest != "IB")) {
      return std::nullopt;
    }
    for (std::size_t k = 0; k <= place; ++k) factor *= step;
  }
  const double n_bytes = value * factor;
  if (!(n_bytes >= 1 && n_bytes < 1e18)) return std::nullopt;
  return static_cast<std::int64_t>(n_bytes);
}

bool is_in_range(const OptionRange& range, double value) {
  return std::isfinite(value) &&
         (range.is_open_below ? value > range.least : value >= range.least) &&
         (range.is_open_above ? value < range.most : value <= range.most);
}

std::string range_text(const OptionRange& range) {
  const bool has_most = range.most < 1e9;
  if (!has_most) {
    return range.is_open_below ? " above " + number_text(range.least)
                               : " from " + number_text(range.least);
  }
  return std::string(" in ") + (range.is_open_below ? "(" : "[") + number_text(range.least) + ", " +
         number_text(range.most) + (range.is_open_above ? ")" : "]");
}

std::string joined(const std::vector<std::string>& all, const char* last) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) text += i + 1 == all.size() ? last : ", ";
    text += all[i];
  }
  return text;
}

std::string between(char mark, std::string_view text) {
  std::string result(1, mark);
  result += text;
  result += mark;
  return result;
}

[[noreturn]] void refuse(const Option& option, const std::string& shown,
                         std::string_view word = {}) {
  throw InvalidArgument(std::string(option.name) + " is " + shown + ": give " +
                        accepted_by(option) +
                        did_you_mean(word, {option.words.begin(), option.words.end()}));
}

/// The word under which `only_with_values` may name this value.
std::string kind_of(const Option& option, const OptionValue& value) {
  if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value)) {
    return "number";
  }
  return to_text(option, value);
}

}  // namespace

std::string_view to_string(OptionGroup group) {
  constexpr std::string_view names[] = {"basic", "graph", "heat", "distance", "layout", "scale"};
  return names[static_cast<std::size_t>(group)];
}

std::span<const Option> options() {
  static const std::vector<Option> all = detail::option_table();
  return all;
}

const Option* option_named(std::string_view name) {
  const std::string wanted = underscored(name);
  const auto found = std::ranges::find(options(), wanted, &Option::name);
  return found == options().end() ? nullptr : &*found;
}

bool reads(const Method& method, const Option& option) { return method.has(option.read_by); }

const Option* option_of(const Method& method, std::string_view name) {
  const std::string wanted = underscored(name);
  for (const Option& option : options()) {
    if (!reads(method, option)) continue;
    const auto is_it = [&](std::string_view alias) { return underscored(alias) == wanted; };
    if (option.name == wanted || std::ranges::any_of(option.aliases, is_it)) return &option;
  }
  return nullptr;
}

std::optional<std::string> word_for(const Option& option, bool is_on) {
  if (std::ranges::find(option.words, "off") == option.words.end()) return std::nullopt;
  return is_on ? (option.is_flag() ? "on" : "auto") : "off";
}

std::string accepted_by(const Option& option) {
  std::vector<std::string> all(option.words.begin(), option.words.end());
  if (option.may_be_open() && is_word_for_open(option, option.left_open)) {
    all.insert(all.begin(), std::string(option.left_open));
  }
  if (option.number == NumberKind::none) {
    return (all.size() > 1 ? "one of " : "") + joined(all, ", ");
  }
  std::string number(option.counted);
  if (number.empty()) number = option.number == NumberKind::real ? "a number" : "a whole number";
  if (option.number != NumberKind::bytes && number != "a positive number") {
    number += range_text(option.range);
  }
  all.push_back(number);
  return joined(all, " or ");
}

std::string to_text(const Option& option, const OptionValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return number_text(*real);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  return std::string(option.left_open);
}

std::string flag_of(const Option& option) {
  std::string flag = "--" + std::string(option.name);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

Fit fit_of(const Option& option, const OptionValue& value) {
  if (std::holds_alternative<std::monostate>(value)) {
    return option.may_be_open() ? Fit::fits : Fit::wrong_kind;
  }
  if (const auto* word = std::get_if<std::string>(&value)) {
    if (!canonical_word(option, *word).empty()) return Fit::fits;
    if (option.number == NumberKind::bytes) return bytes_in(*word) ? Fit::fits : Fit::wrong_value;
    return option.words.empty() ? Fit::wrong_kind : Fit::wrong_value;
  }
  if (option.number == NumberKind::none) return Fit::wrong_kind;
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && option.number != NumberKind::real) return Fit::wrong_kind;
  return is_in_range(option.range, detail::real_of(value)) ? Fit::fits : Fit::wrong_value;
}

OptionValue parse_option(const Option& option, std::string_view text) {
  const std::string quoted = between('\'', text);
  if (const std::string_view word = canonical_word(option, text); !word.empty()) {
    if (is_word_for_open(option, word)) return {};
    return std::string(word);
  }
  OptionValue value;
  if (option.number == NumberKind::whole) {
    if (const auto whole = number_in<std::int64_t>(text)) value = *whole;
  } else if (option.number == NumberKind::real) {
    if (const auto real = number_in<double>(text)) value = *real;
  } else if (option.number == NumberKind::bytes) {
    if (const auto size = bytes_in(text)) value = *size;
  }
  if (std::holds_alternative<std::monostate>(value) || fit_of(option, value) != Fit::fits) {
    refuse(option, quoted, text);
  }
  return value;
}

void set_option(MethodOptions& settings, const Option& option, const OptionValue& value) {
  if (fit_of(option, value) != Fit::fits) refuse(option, to_text(option, value));
  if (const auto* word = std::get_if<std::string>(&value)) {
    option.set(settings, parse_option(option, *word));
  } else {
    option.set(settings, value);
  }
}

MethodOptions options_for(const Method& method, const GivenOptions& given) {
  MethodOptions settings;
  // In the order of the table: landmarks come before what is said of them.
  for (const Option& option : options()) {
    for (const auto& [name, value] : given) {
      if (option_of(method, name) == &option) set_option(settings, option, value);
    }
  }
  return settings;
}

std::vector<std::string> unread_options(std::span<const Method* const> readers,
                                        const GivenOptions& given) {
  std::vector<std::string> complaints;
  std::vector<std::string> names;
  for (const Method* method : readers) names.emplace_back(method->name);
  for (const auto& [name, value] : given) {
    const auto is_reader = [&](const Method* method) {
      return option_of(*method, name) != nullptr;
    };
    if (std::ranges::any_of(readers, is_reader)) continue;
    std::vector<std::string> others;
    for (const Method& method : methods()) {
      if (option_of(method, name) != nullptr) others.emplace_back(method.name);
    }
    complaints.push_back(
        between('`', underscored(name)) + " is not used by " + joined(names, " or ") +
        (others.empty() ? std::string() : " (it is an option of " + joined(others, ", ") + ")"));
  }
  return complaints;
}

std::vector<std::string> idle_options(const Method& method, const GivenOptions& given) {
  std::vector<std::string> warnings;
  const MethodOptions settings = options_for(method, given);
  for (const auto& [name, value] : given) {
    const Option* option = option_of(method, name);
    if (option == nullptr || option->only_with.empty()) continue;
    const Option* other = option_of(method, option->only_with);
    if (other == nullptr) continue;
    const OptionValue now = other->get(settings);
    const auto& wanted = option->only_with_values;
    if (std::ranges::find(wanted, kind_of(*other, now)) != wanted.end()) continue;
    warnings.push_back(between('`', option->name) + " is not used: it matters with " +
                       between('`', other->name) + " " +
                       joined({wanted.begin(), wanted.end()}, " or ") + ", which is " +
                       to_text(*other, now));
  }
  return warnings;
}

}  // namespace geotherm
