#include "options.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "geotherm/spelling.hpp"

namespace geotherm::python {
namespace {

std::string shown(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

template <class Texts>
nb::list texts(const Texts& all) {
  nb::list list;
  for (const auto& one : all) list.append(text(one));
  return list;
}

[[noreturn]] void refuse(Fit fit, const Option& option, nb::handle value) {
  std::string message =
      std::string(option.name) + " is " + shown(value) + ": give " + accepted_by(option);
  if (nb::isinstance<nb::str>(value)) {
    message +=
        did_you_mean(nb::cast<std::string>(value), {option.words.begin(), option.words.end()});
  }
  if (fit == Fit::wrong_kind) throw nb::type_error(message.c_str());
  throw nb::value_error(message.c_str());
}

nb::object to_python(const Option& option, const OptionValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return nb::none();
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return nb::int_(*whole);
  if (const auto* real = std::get_if<double>(&value)) return nb::float_(*real);
  const auto& word = std::get<std::string>(value);
  if (option.is_flag()) return nb::bool_(word == "on");
  return text(word);
}

/// A word or number of Python as the library has it; numbers of any kind, as NumPy has them, too.
OptionValue from_python(const Option& option, nb::handle value) {
  if (value.is_none()) return {};
  if (nb::isinstance<nb::bool_>(value)) {
    if (const auto word = word_for(option, nb::cast<bool>(value))) return *word;
    refuse(Fit::wrong_kind, option, value);
  }
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
  if (whole.is_valid()) {
    const long long wide = PyLong_AsLongLong(whole.ptr());
    if (wide != -1 || PyErr_Occurred() == nullptr) return static_cast<std::int64_t>(wide);
    PyErr_Clear();
    refuse(option.number == NumberKind::none ? Fit::wrong_kind : Fit::wrong_value, option, value);
  }
  PyErr_Clear();
  const double real = PyFloat_AsDouble(value.ptr());
  if (real == -1.0 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(Fit::wrong_kind, option, value);
  }
  return real;
}

OptionValue checked(const Option& option, nb::handle value) {
  OptionValue found = from_python(option, value);
  if (const Fit fit = fit_of(option, found); fit != Fit::fits) refuse(fit, option, value);
  return found;
}

std::string_view to_text_of(NumberKind kind) {
  switch (kind) {
    case NumberKind::real:
      return "float";
    case NumberKind::whole:
      return "int";
    case NumberKind::bytes:
      return "int or str";
    case NumberKind::none:
      break;
  }
  return "";
}

}  // namespace

nb::dict default_options() {
  const MethodOptions defaults;
  nb::dict flat;
  for (const Option& option : options()) {
    flat[text(option.name)] = to_python(option, option.get(defaults));
  }
  return flat;
}

nb::list option_table() {
  const MethodOptions defaults;
  nb::list table;
  for (const Option& option : options()) {
    nb::dict row;
    row["name"] = text(option.name);
    row["group"] = text(to_string(option.group));
    row["is_basic"] = option.level == OptionLevel::basic;
    row["words"] = texts(option.words);
    row["number"] = text(to_text_of(option.number));
    row["is_flag"] = option.is_flag();
    row["left_open"] = text(option.left_open);
    row["accepted"] = accepted_by(option);
    row["help"] = text(option.help);
    row["default"] = to_python(option, option.get(defaults));
    nb::list readers;
    nb::dict choices;
    for (const Method& method : methods()) {
      if (!reads(method, option)) continue;
      readers.append(text(method.name));
      if (method.choices == nullptr) continue;
      const OptionValue own = option.get(method.choices({}, 2));
      if (own != option.get(defaults)) choices[text(method.name)] = to_python(option, own);
    }
    row["methods"] = readers;
    row["choices"] = choices;
    table.append(row);
  }
  return table;
}

nb::list method_table() {
  nb::list table;
  for (const Method& method : methods()) {
    nb::dict row;
    row["name"] = text(method.name);
    row["display"] = text(method.display);
    row["title"] = text(method.title);
    row["summary"] = text(method.summary);
    row["estimator"] = text(method.estimator);
    row["aliases"] = texts(method.aliases);
    row["citations"] = texts(method.citations);
    row["has_distances"] = method.distances != nullptr;
    row["has_graph"] = method.has(parts::graph);
    row["has_heat"] = method.has(parts::heat);
    row["has_time"] = method.has(parts::time);
    row["has_stress"] = method.has(parts::mds);
    nb::list names;
    for (const Option& option : options()) {
      if (reads(method, option)) names.append(text(option.name));
    }
    row["options"] = names;
    table.append(row);
  }
  return table;
}

MethodOptions method_options(const nb::dict& flat, const Method* method) {
  MethodOptions settings;
  for (const Option& option : options()) {
    const nb::str name = text(option.name);
    if (!flat.contains(name)) continue;
    const nb::object value = nb::borrow(flat[name]);
    if (method != nullptr && !reads(*method, option)) {
      throw nb::type_error(
          (std::string(option.name) + " is not used by " + std::string(method->name)).c_str());
    }
    set_option(settings, option, checked(option, value));
  }
  for (const auto& [name, value] : flat) {
    const bool is_known =
        nb::isinstance<nb::str>(name) && option_named(nb::cast<std::string>(name)) != nullptr;
    if (!is_known) throw nb::type_error(("unknown option " + shown(name)).c_str());
  }
  return settings;
}

std::vector<std::string> idle_options(const Method& method, const nb::dict& flat) {
  const MethodOptions defaults;
  GivenOptions given;
  for (const Option& option : options()) {
    const nb::str name = text(option.name);
    if (!flat.contains(name) || !reads(method, option)) continue;
    OptionValue value = checked(option, nb::borrow(flat[name]));
    MethodOptions settings;
    set_option(settings, option, value);
    if (option.get(settings) != option.get(defaults)) {
      given.emplace(std::string(option.name), std::move(value));
    }
  }
  return geotherm::idle_options(method, given);
}

}  // namespace geotherm::python
