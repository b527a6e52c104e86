# What a wheel holds besides the Python module: the program, so that `geotherm` is on the path after `pip install`.
# Included before the dependencies, because whether the program can be built is decided here.
include(GNUInstallDirs)
set(GEOTHERM_FROM_PREFIX "" CACHE PATH "An installed geotherm that the wheel takes library and program from")
set(GEOTHERM_NATIVE "" CACHE STRING "Files of the Python module, finished, for a wheel that compiles nothing")

if(NOT GEOTHERM_FROM_PREFIX)
  set(_program ON)
  set(_missing "")
  foreach(package fmt nlohmann_json CLI11)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
      set(_program OFF)
      list(APPEND _missing ${package})
    endif()
  endforeach()
  list(JOIN _missing ", " GEOTHERM_MISSING)
  # With a compiler alone the Python package is whole; the program needs three libraries more.
  option(GEOTHERM_WHEEL_PROGRAM "Put the command-line program into the wheel" ${_program})
  set(GEOTHERM_BUILD_CLI ${GEOTHERM_WHEEL_PROGRAM} CACHE BOOL "Build the command-line program" FORCE)
  if(NOT GEOTHERM_BUILD_CLI)
    message(WARNING "The wheel is built without the geotherm program: not found: ${GEOTHERM_MISSING} "
      "(Debian: libfmt-dev nlohmann-json3-dev libcli11-dev). The Python package is whole without it.")
  endif()
endif()

# geotherm_install_program(PATH): PATH of a finished program, or empty for this build's. Where there is none, a
# script of that name says why.
function(geotherm_install_program path)
  add_custom_target(geotherm_wheel)
  if(path)
    install(PROGRAMS "${path}" DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  elseif(TARGET geotherm_cli)
    add_dependencies(geotherm_wheel geotherm_cli geotherm_shell)
    install(TARGETS geotherm_cli RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
    install(FILES "${PROJECT_BINARY_DIR}/share/geotherm.1" DESTINATION "${SKBUILD_DATA_DIR}/share/man/man1"
            COMPONENT python)
    if(NOT GEOTHERM_HDF5_FOUND)
      message(WARNING "The program of this wheel cannot read .h5ad and 10x .h5: HDF5 was not found (libhdf5-dev)")
    endif()
  else()
    configure_file(cmake/no_program.py.in "${PROJECT_BINARY_DIR}/no_program/geotherm" @ONLY)
    install(PROGRAMS "${PROJECT_BINARY_DIR}/no_program/geotherm" DESTINATION "${SKBUILD_SCRIPTS_DIR}"
            COMPONENT python)
  endif()
endfunction()
