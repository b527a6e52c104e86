// What the module is made of: one function per file adds its part.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "geotherm/core.hpp"

namespace geotherm::python {

namespace nb = nanobind;

void bind_methods(nb::module_& m);
void bind_modules(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_blocks(nb::module_& m);
void bind_datasets(nb::module_& m);
void bind_model(nb::module_& m);
void bind_page(nb::module_& m);
void bind_trajectory(nb::module_& m);
void bind_methods_text(nb::module_& m);

inline nb::str text(std::string_view words) { return nb::str(words.data(), words.size()); }

}  // namespace geotherm::python
