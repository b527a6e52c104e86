#include "method_flags.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "geotherm/spelling.hpp"
#include "help.hpp"

namespace geotherm::cli {
namespace {

constexpr const char* precomputed = "precomputed";

/// For distances, the text before the comma: the part of a method that comes before the map.
std::string_view shown_summary(const Method& method, MethodUse use) {
  return use == MethodUse::distances ? method.summary.substr(0, method.summary.find(','))
                                     : method.summary;
}

bool is_offered(const Method& method, MethodUse use) {
  if (use == MethodUse::distances) return method.distances != nullptr;
  return use != MethodUse::aligned_map || method.has(parts::affinity);
}

bool is_offered(const Option& option, MethodUse use) {
  if (use == MethodUse::distances && (option.read_by & ~parts::of_map) == 0) return false;
  return std::ranges::any_of(methods(), [&](const Method& method) {
    return is_offered(method, use) && reads(method, option);
  });
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Of methods that choose otherwise than the default says: " heatgeo: auto."
std::string choices_text(const Option& option) {
  const std::string usual = to_text(option, option.get(MethodOptions{}));
  std::map<std::string, std::vector<std::string>> others;
  for (const Method& method : methods()) {
    if (method.choices == nullptr || !reads(method, option)) continue;
    const std::string own = to_text(option, option.get(method.choices({}, 2)));
    if (own != usual) others[own].emplace_back(method.name);
  }
  std::string text;
  for (const auto& [own, names] : others) text += fmt::format(" {}: {}.", joined(names), own);
  return text;
}

/// The help text, with the words it takes, and the method where only one reads it.
std::string help_of(const Option& option) {
  std::string text;
  std::vector<std::string> readers;
  for (const Method& method : methods()) {
    if (reads(method, option)) readers.emplace_back(method.name);
  }
  if (readers.size() == 1) text = readers.front() + ": ";
  text += option.help;
  if (option.words.size() > 1 && !option.is_flag()) {
    std::vector<std::string> words(option.words.begin(), option.words.end());
    if (option.number != NumberKind::none) words.emplace_back(option.placeholder);
    text += " One of " + joined(words) + ".";
  }
  return text + choices_text(option);
}

void add_flag_of(CLI::App& command, const Option& option, MethodFlags& options) {
  const std::string name(option.name);
  const auto take = [&options, name](const std::string& word) { options.words[name] = word; };
  CLI::Option* flag = nullptr;
  if (option.is_flag()) {
    flag = command.add_flag_callback(
        flag_of(option), [take] { take("on"); }, wrapped(help_of(option)));
  } else {
    flag =
        command.add_option_function<std::string>(flag_of(option), take, wrapped(help_of(option)))
            ->type_name(std::string(option.placeholder))
            ->default_str(to_text(option, option.get(MethodOptions{})));
  }
  flag->group(option.level == OptionLevel::basic ? group_title(option.group)
                                                 : advanced(group_title(option.group)));
  for (const std::string_view alias : option.aliases) {
    if (option_named(alias) != nullptr) continue;
    command
        .add_option_function<std::string>(
            "--" + std::string(alias), [&options, key = std::string(alias)](
                                           const std::string& word) { options.words[key] = word; })
        ->group("");
  }
}

nlohmann::json json_of(const Option& option, const OptionValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (std::holds_alternative<std::monostate>(value) && !option.words.empty()) {
    return "the method's own choice";
  }
  return to_text(option, value);
}

}  // namespace

bool MethodFlags::is_precomputed() const {
  const auto metric = words.find("metric");
  return row().needs == Needs::distances ||
         (metric != words.end() && metric->second == precomputed);
}

CLI::Validator known_method(MethodUse use) {
  const auto check = [use](std::string& word) -> std::string {
    const Method* method = method_named(word);
    if (method != nullptr && is_offered(*method, use)) {
      word = method->name;
      return {};
    }
    std::vector<std::string> names;
    for (const Method& known : methods()) {
      if (is_offered(known, use)) names.emplace_back(known.name);
    }
    return fmt::format("{} not in {{{}}}{}", word, fmt::join(names, ","),
                       did_you_mean(word, names));
  };
  return {check, ""};
}

void add_method_options(CLI::App& command, MethodFlags& options, MethodUse use) {
  std::string listed = "One of:";
  for (const Method& method : methods()) {
    if (!is_offered(method, use)) continue;
    listed += fmt::format("\n{:<20}{}", method.name, shown_summary(method, use));
  }
  command.add_option("--method", options.method, listed)
      ->type_name("NAME")
      ->transform(known_method(use))
      ->capture_default_str()
      ->group("Method");
  for (const Option& option : geotherm::options()) {
    if (is_offered(option, use)) add_flag_of(command, option, options);
  }
}

std::vector<std::string> resolve(MethodFlags& options, const std::vector<std::string>& compared) {
  std::vector<const Method*> readers = {&options.row()};
  for (const std::string& name : compared) readers.push_back(method_named(name));
  options.given.clear();
  for (const auto& [name, word] : options.words) {
    for (const Method* method : readers) {
      const Option* option = option_of(*method, name);
      if (option != nullptr) options.given[name] = parse_option(*option, word);
    }
    if (!options.given.contains(name)) options.given[name] = OptionValue{};  // no method reads it
  }
  refuse_if_any(unread_options(readers, options.given));
  if (options.row().needs == Needs::distances && options.words.contains("metric") &&
      options.words["metric"] != precomputed) {
    throw InvalidArgument(fmt::format("metric is {}: {} takes a matrix of distances (precomputed)",
                                      options.words["metric"], options.method));
  }
  options.settings = options_for(options.row(), options.given);
  std::vector<std::string> warnings;
  for (const Method* method : readers) {
    for (std::string& warning : idle_options(*method, options.given)) {
      if (std::ranges::find(warnings, warning) == warnings.end()) {
        warnings.push_back(std::move(warning));
      }
    }
  }
  return warnings;
}

nlohmann::json to_json(const MethodFlags& options, MethodUse use) {
  nlohmann::json json = {{"method", options.method}};
  const MethodOptions defaults;
  for (const Option& option : geotherm::options()) {
    if (!reads(options.row(), option) || !is_offered(option, use)) continue;
    json[std::string(option.name)] = json_of(option, option.get(defaults));
  }
  for (const auto& [name, value] : options.given) {
    const Option* option = option_of(options.row(), name);
    if (option == nullptr) continue;
    // A size as it was typed reads better than its bytes.
    json[std::string(option->name)] = option->number == NumberKind::bytes
                                          ? nlohmann::json(options.words.at(name))
                                          : json_of(*option, value);
  }
  return json;
}

}  // namespace geotherm::cli
