// The Methods paragraph of a run, from its report.
#include "geotherm/methods_text.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace geotherm::python {
namespace {

/// Numbers, texts and truth values of a dict; what is nested is left out.
std::map<std::string, Value> values_of(const nb::dict& report, const char* name) {
  std::map<std::string, Value> values;
  if (!report.contains(name) || !nb::isinstance<nb::dict>(report[name])) return values;
  for (const auto& [key, value] : nb::cast<nb::dict>(report[name])) {
    const auto word = nb::cast<std::string>(key);
    double number = 0;
    if (nb::isinstance<nb::bool_>(value)) {
      values[word] = nb::cast<bool>(value);
    } else if (nb::isinstance<nb::str>(value)) {
      values[word] = nb::cast<std::string>(value);
    } else if (nb::try_cast<double>(value, number)) {
      values[word] = number;
    }
  }
  return values;
}

template <class T>
T value_of(const nb::dict& report, const char* name, T otherwise) {
  return report.contains(name) ? nb::cast<T>(report[name]) : otherwise;
}

}  // namespace

void bind_methods_text(nb::module_& m) {
  m.def(
      "methods_text",
      [](const nb::dict& report) {
        const MethodsText text =
            methods_text({.method = value_of<std::string>(report, "method", ""),
                          .version = value_of<std::string>(report, "version", ""),
                          .n_points = value_of<std::size_t>(report, "n_samples", 0),
                          .seed = value_of<std::uint64_t>(report, "seed", 0),
                          .options = values_of(report, "options"),
                          .reading = values_of(report, "reading"),
                          .resolved = values_of(report, "resolved")});
        return nb::make_tuple(text.paragraph, text.references);
      },
      nb::arg("report"));
}

}  // namespace geotherm::python
