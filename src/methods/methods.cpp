// The table of methods, from the rows in their files.
#include "geotherm/methods.hpp"

#include <algorithm>

namespace geotherm {
namespace detail {
#define GEOTHERM_METHOD(name) Method name();
#include "methods/methods.def"
#undef GEOTHERM_METHOD
}  // namespace detail

std::span<const Method> methods() {
#define GEOTHERM_METHOD(name) detail::name(),
  static const std::vector<Method> all = {
#include "methods/methods.def"
  };
#undef GEOTHERM_METHOD
  return all;
}

const Method* method_named(std::string_view name) {
  for (const Method& method : methods()) {
    if (method.name == name || std::ranges::find(method.aliases, name) != method.aliases.end()) {
      return &method;
    }
  }
  return nullptr;
}

}  // namespace geotherm
