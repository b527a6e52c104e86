# Libraries that the geotherm library links, as imported targets. Used by the build and, installed beside
# geothermConfig.cmake, by projects that link the static library: it then names no paths of the machine it was
# built on.
#   geotherm::openblas   BLAS with the C interface; its headers in GEOTHERM_CBLAS_DIR
#   geotherm::hdf5       the HDF5 C library; its headers in GEOTHERM_HDF5_DIR
macro(geotherm_find_openblas)
  find_path(GEOTHERM_CBLAS_DIR cblas.h PATH_SUFFIXES openblas openblas-pthread)
  find_library(GEOTHERM_OPENBLAS openblas)
  mark_as_advanced(GEOTHERM_CBLAS_DIR GEOTHERM_OPENBLAS)
  if(GEOTHERM_OPENBLAS AND NOT TARGET geotherm::openblas)
    add_library(geotherm::openblas UNKNOWN IMPORTED GLOBAL)
    set_target_properties(geotherm::openblas PROPERTIES IMPORTED_LOCATION "${GEOTHERM_OPENBLAS}")
  endif()
endmacro()

macro(geotherm_find_hdf5)
  find_path(GEOTHERM_HDF5_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(GEOTHERM_HDF5 NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
  mark_as_advanced(GEOTHERM_HDF5_DIR GEOTHERM_HDF5)
  if(GEOTHERM_HDF5 AND NOT TARGET geotherm::hdf5)
    add_library(geotherm::hdf5 UNKNOWN IMPORTED GLOBAL)
    set_target_properties(geotherm::hdf5 PROPERTIES IMPORTED_LOCATION "${GEOTHERM_HDF5}")
  endif()
endmacro()
