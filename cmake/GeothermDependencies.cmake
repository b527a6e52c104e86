# Finds what the library stands on. Header-only parts (Eigen, knncolle, hnswlib, kmeans, irlba,
# umappp, qdtsne) come from PyPI's assorthead: from GEOTHERM_HEADERS_DIR, or from the environment
# that scripts/setup.sh makes.
find_package(Threads REQUIRED)
include(GeothermLibraries)
find_package(ZLIB REQUIRED)
# Boost.Math checks special functions in the tests; the library does without.
if(GEOTHERM_BUILD_TESTS)
  find_package(Boost 1.70 REQUIRED)
endif()

if(NOT GEOTHERM_HEADERS_DIR)
  set(_python "${CMAKE_CURRENT_SOURCE_DIR}/.deps/python/bin/python")
  if(SKBUILD)
    set(_python "${Python_EXECUTABLE}")  # pip's own environment, with the build requirements
  endif()
  execute_process(
    COMMAND "${_python}" -c
            "import assorthead; print(assorthead.includes(), end='')"
    OUTPUT_VARIABLE _found RESULT_VARIABLE _failed ERROR_QUIET)
  if(_failed)
    find_package(Python3 COMPONENTS Interpreter)
    execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import assorthead; print(assorthead.includes(), end='')"
      OUTPUT_VARIABLE _found RESULT_VARIABLE _failed ERROR_QUIET)
  endif()
  if(_failed)
    message(FATAL_ERROR "The assorthead headers were not found. Run scripts/setup.sh, or "
                        "'pip install assorthead', or give -DGEOTHERM_HEADERS_DIR=<its include folder>.")
  endif()
  set(GEOTHERM_HEADERS_DIR "${_found}" CACHE PATH "Folder with the headers of PyPI's assorthead" FORCE)
endif()

# One Eigen for every target: assorthead's, or on request the system's before it.
option(GEOTHERM_SYSTEM_EIGEN "Take the system's Eigen, 3.4 or later, instead of assorthead's" OFF)
add_library(geotherm_headers INTERFACE)
if(GEOTHERM_SYSTEM_EIGEN)
  find_package(Eigen3 REQUIRED NO_MODULE)
  if(Eigen3_VERSION VERSION_LESS 3.4)
    message(FATAL_ERROR "Eigen ${Eigen3_VERSION} was found; 3.4 or later is needed")
  endif()
  get_target_property(_eigen_dir Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
  target_include_directories(geotherm_headers SYSTEM INTERFACE ${_eigen_dir})
  message(STATUS "Eigen ${Eigen3_VERSION} of the system")
endif()
target_include_directories(geotherm_headers SYSTEM INTERFACE "${GEOTHERM_HEADERS_DIR}")
target_compile_definitions(geotherm_headers INTERFACE EIGEN_MPL2_ONLY EIGEN_DONT_PARALLELIZE)

# Leading eigenvectors of sparse matrices: Spectra, or the block Krylov solver of the embedding module.
if(GEOTHERM_WITH_SPECTRA)
  find_path(GEOTHERM_SPECTRA_DIR Spectra/SymEigsSolver.h)
  if(GEOTHERM_SPECTRA_DIR)
    target_include_directories(geotherm_headers SYSTEM INTERFACE "${GEOTHERM_SPECTRA_DIR}")
  else()
    message(STATUS "No Spectra found: sparse eigenvectors by the library's own solver")
  endif()
endif()

set(GEOTHERM_BLAS_LIBRARIES "")
if(GEOTHERM_WITH_BLAS)
  geotherm_find_openblas()
  if(GEOTHERM_CBLAS_DIR AND GEOTHERM_OPENBLAS)
    set(GEOTHERM_BLAS_LIBRARIES geotherm::openblas)
  else()
    message(STATUS "No BLAS found: dense products by Eigen (slower)")
  endif()
endif()

# Exact optimal transport (metrics): LEMON's headers, nothing to link.
if(GEOTHERM_WITH_LEMON)
  find_path(GEOTHERM_LEMON_DIR lemon/network_simplex.h)
  if(NOT GEOTHERM_LEMON_DIR)
    message(STATUS "No LEMON found: no exact optimal transport, no interpolation score")
  endif()
endif()

# .h5ad and 10x .h5 (io): the C library.
set(GEOTHERM_HDF5_FOUND OFF)
if(GEOTHERM_WITH_HDF5)
  geotherm_find_hdf5()
  if(GEOTHERM_HDF5_DIR AND GEOTHERM_HDF5)
    set(GEOTHERM_HDF5_FOUND ON)
  else()
    message(STATUS "No HDF5 found: .h5ad and .h5 files are refused with a message (libhdf5-dev)")
  endif()
endif()
