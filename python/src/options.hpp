// Flat keywords <-> MethodOptions, by the library's table of options: Python cannot drift from it.
#pragma once

#include <nanobind/nanobind.h>

#include "geotherm/geotherm.hpp"

namespace geotherm::python {

namespace nb = nanobind;

/// Every option with the value that the library uses by itself; None is "left open".
nb::dict default_options();
/// The table of options: one dictionary per row.
nb::list option_table();
/// The table of methods: one dictionary per row.
nb::list method_table();

/// Keywords that are not given keep their defaults. TypeError for a value of another kind, for an
/// unknown keyword and for one that the method (where one is given) does not read; ValueError for
/// a word or number that cannot be.
MethodOptions method_options(const nb::dict& flat, const Method* method = nullptr);
/// Warnings about options that do nothing because of another's value.
std::vector<std::string> idle_options(const Method& method, const nb::dict& flat);

}  // namespace geotherm::python
