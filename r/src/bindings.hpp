// The functions that R calls, each registered in init.cpp. Every one takes and returns R values,
// and turns C++ exceptions into R's errors.
#pragma once

#include <cpp11/declarations.hpp>

extern "C" {
SEXP geotherm_version();
SEXP geotherm_options();
SEXP geotherm_methods();
SEXP geotherm_embed(SEXP method, SEXP input, SEXP options, SEXP settings);
SEXP geotherm_distances(SEXP method, SEXP input, SEXP options, SEXP settings, SEXP from);
SEXP geotherm_place(SEXP model, SEXP rows, SEXP settings);
SEXP geotherm_save_model(SEXP model, SEXP path);
SEXP geotherm_load_model(SEXP path);
SEXP geotherm_score(SEXP wanted, SEXP settings);
SEXP geotherm_trajectory(SEXP input, SEXP options, SEXP roots, SEXP wanted, SEXP settings);
SEXP geotherm_page(SEXP maps, SEXP columns, SEXP names, SEXP title, SEXP graph, SEXP settings);
}
