// The library's tables of options and methods, as columns of data frames.
#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"

namespace {

using namespace geotherm;
using namespace cpp11::literals;

std::string readers_of(const Option& option) {
  std::string names;
  for (const Method& method : methods()) {
    if (reads(method, option)) names += (names.empty() ? "" : ", ") + std::string(method.name);
  }
  return names;
}

}  // namespace

extern "C" SEXP geotherm_version() {
  BEGIN_CPP11
  return cpp11::as_sexp(version());
  END_CPP11
}

extern "C" SEXP geotherm_options() {
  BEGIN_CPP11
  const MethodOptions defaults;
  std::vector<std::string> names, groups, values, accepted, help, readers;
  for (const Option& option : options()) {
    names.emplace_back(option.name);
    groups.emplace_back(to_string(option.group));
    values.push_back(to_text(option, option.get(defaults)));
    accepted.push_back(accepted_by(option));
    help.emplace_back(option.help);
    readers.push_back(readers_of(option));
  }
  return cpp11::writable::list({"name"_nm = r::to_r(names), "group"_nm = r::to_r(groups),
                                "default"_nm = r::to_r(values), "accepts"_nm = r::to_r(accepted),
                                "help"_nm = r::to_r(help), "methods"_nm = r::to_r(readers)});
  END_CPP11
}

extern "C" SEXP geotherm_methods() {
  BEGIN_CPP11
  std::vector<std::string> names, displays, titles, citations;
  cpp11::writable::logicals distances;
  for (const Method& method : methods()) {
    names.emplace_back(method.name);
    displays.emplace_back(method.display);
    titles.emplace_back(method.title);
    std::string cited;
    for (const std::string_view one : method.citations) {
      cited += (cited.empty() ? "" : "; ") + std::string(one);
    }
    citations.push_back(cited);
    distances.push_back(cpp11::r_bool(method.distances != nullptr));
  }
  return cpp11::writable::list({"name"_nm = r::to_r(names), "display"_nm = r::to_r(displays),
                                "title"_nm = r::to_r(titles), "citation"_nm = r::to_r(citations),
                                "has_distances"_nm = distances});
  END_CPP11
}
