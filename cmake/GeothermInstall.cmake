# `cmake --install` gives a package for find_package(geotherm) and pkg-config. Nothing in it names a path of
# the machine it was built on. Components: runtime (program, shared library), development.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS geotherm EXPORT geothermTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY include/geotherm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
set(GEOTHERM_LINKS "")
set(GEOTHERM_PC_LIBS_PRIVATE "")
list(APPEND GEOTHERM_LINKS ZLIB::ZLIB)
string(APPEND GEOTHERM_PC_LIBS_PRIVATE " -lz")
if(GEOTHERM_BLAS_LIBRARIES)
  list(APPEND GEOTHERM_LINKS geotherm::openblas)
  string(APPEND GEOTHERM_PC_LIBS_PRIVATE " -lopenblas")
endif()
if(GEOTHERM_HDF5_FOUND)
  list(APPEND GEOTHERM_LINKS geotherm::hdf5)
  get_filename_component(_hdf5_name "${GEOTHERM_HDF5}" NAME_WE)
  string(REGEX REPLACE "^lib" " -l" _hdf5_name "${_hdf5_name}")
  string(APPEND GEOTHERM_PC_LIBS_PRIVATE "${_hdf5_name}")
endif()
string(APPEND GEOTHERM_PC_LIBS_PRIVATE " -pthread")
# Of a static library everything has to be named by whoever links it.
set(GEOTHERM_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(GEOTHERM_PC_LIBS "${GEOTHERM_PC_LIBS_PRIVATE}")
endif()
file(RELATIVE_PATH GEOTHERM_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" GEOTHERM_PC_PREFIX "${GEOTHERM_PC_PREFIX}")
configure_file(cmake/geotherm.pc.in "${CMAKE_CURRENT_BINARY_DIR}/geotherm.pc" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/geotherm.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
install(EXPORT geothermTargets NAMESPACE geotherm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm
        COMPONENT development)
configure_package_config_file(cmake/geothermConfig.cmake.in
  "${CMAKE_CURRENT_BINARY_DIR}/geothermConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/geothermConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/geothermConfig.cmake" cmake/GeothermLibraries.cmake
              "${CMAKE_CURRENT_BINARY_DIR}/geothermConfigVersion.cmake"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm COMPONENT development)
if(TARGET geotherm_cli)
  install(TARGETS geotherm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
  # (Built by `make build-all` only.)
  install(TARGETS geotherm_reproduce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime OPTIONAL)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.bash"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME geotherm COMPONENT runtime)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.zsh"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _geotherm COMPONENT runtime)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.fish"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT runtime)
endif()
