// Flat keywords <-> MethodOptions. One table names every field once: defaults are read through it
// and keywords are written through it, so that Python cannot drift from the library.
#pragma once

#include <nanobind/nanobind.h>

#include "geotherm/geotherm.hpp"

namespace geotherm::python {

namespace nb = nanobind;

/// Every flat keyword with the value that the library uses by itself; None is "choose for me".
nb::dict default_options();
/// The words that a keyword takes, for those that take words.
nb::dict option_words();

/// Keywords that are not given keep their defaults. TypeError for a value of another kind and for
/// an unknown keyword, ValueError for a word or number that cannot be.
MethodOptions method_options(const nb::dict& flat);

/// The library's methods: {name: (summary, has distances)}.
nb::dict list_methods();

}  // namespace geotherm::python
