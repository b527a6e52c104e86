#include "options.hpp"

#include <cmath>

#include "arrays.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::r {
namespace {

using namespace cpp11::literals;

std::string shown(SEXP value) {
  const cpp11::function deparse = cpp11::package("base")["deparse1"];
  return cpp11::as_cpp<std::string>(deparse(value));
}

[[noreturn]] void refuse(const Option& option, SEXP value) {
  throw InvalidArgument(std::string(option.name) + " is " + shown(value) + ": give " +
                        accepted_by(option));
}

OptionValue value_of(const Option& option, SEXP value) {
  if (Rf_isNull(value)) return {};
  if (Rf_xlength(value) != 1) refuse(option, value);
  if (Rf_isLogical(value)) {
    const int is_on = LOGICAL(value)[0];
    const auto word = is_on == NA_LOGICAL ? std::nullopt : word_for(option, is_on != 0);
    if (!word) refuse(option, value);
    return *word;
  }
  if (Rf_isString(value)) {
    const std::string word = cpp11::as_cpp<std::string>(value);
    // "4GB" is a number with a unit, and words of numbers are what the command line has.
    return option.number == NumberKind::bytes ? parse_option(option, word) : OptionValue(word);
  }
  if (Rf_isFactor(value) || !Rf_isNumeric(value)) refuse(option, value);
  const double real = Rf_asReal(value);
  // R's plain numbers are double: a whole one counts as such.
  if (option.number != NumberKind::real && std::isfinite(real) && real == std::floor(real) &&
      std::abs(real) < 9e15) {
    return static_cast<std::int64_t>(real);
  }
  return real;
}

}  // namespace

const Method& method_of(const std::string& name) {
  if (const Method* method = method_named(name)) return *method;
  std::vector<std::string> known;
  std::string all;
  for (const Method& method : methods()) {
    known.emplace_back(method.name);
    all += (all.empty() ? ": the methods are " : ", ") + known.back();
  }
  const std::string suggestion = did_you_mean(name, known);
  throw InvalidArgument("there is no method named '" + name + "'" +
                        (suggestion.empty() ? all : suggestion));
}

MethodOptions method_options(const Method& method, const cpp11::list& given) {
  MethodOptions settings;
  if (given.size() == 0) return settings;
  const cpp11::strings names(given.names());
  for (R_xlen_t i = 0; i < given.size(); ++i) {
    std::string name = cpp11::as_cpp<std::string>(cpp11::as_sexp(names[i]));
    for (char& c : name) {
      if (c == '.') c = '_';
    }
    const Option* option = option_of(method, name);
    if (option == nullptr && option_named(name) != nullptr) {
      throw InvalidArgument(name + " is not used by " + std::string(method.name));
    }
    if (option == nullptr) {
      std::vector<std::string> known;
      for (const Option& one : options()) {
        if (reads(method, one)) known.emplace_back(one.name);
      }
      throw InvalidArgument("there is no option named '" + name + "'" + did_you_mean(name, known));
    }
    const OptionValue value = value_of(*option, given[i]);
    if (fit_of(*option, value) != Fit::fits) refuse(*option, given[i]);
    set_option(settings, *option, value);
  }
  return settings;
}

}  // namespace geotherm::r
