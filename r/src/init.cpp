#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "bindings.hpp"

namespace {

template <class F>
DL_FUNC pointer(F* function) {
  return reinterpret_cast<DL_FUNC>(function);
}

const R_CallMethodDef kFunctions[] = {{"geotherm_version", pointer(geotherm_version), 0},
                                      {"geotherm_options", pointer(geotherm_options), 0},
                                      {"geotherm_methods", pointer(geotherm_methods), 0},
                                      {"geotherm_embed", pointer(geotherm_embed), 4},
                                      {"geotherm_distances", pointer(geotherm_distances), 5},
                                      {"geotherm_place", pointer(geotherm_place), 3},
                                      {"geotherm_save_model", pointer(geotherm_save_model), 2},
                                      {"geotherm_load_model", pointer(geotherm_load_model), 1},
                                      {"geotherm_score", pointer(geotherm_score), 2},
                                      {"geotherm_trajectory", pointer(geotherm_trajectory), 5},
                                      {"geotherm_page", pointer(geotherm_page), 6},
                                      {nullptr, nullptr, 0}};

}  // namespace

extern "C" attribute_visible void R_init_geotherm(DllInfo* library) {
  R_registerRoutines(library, nullptr, kFunctions, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
