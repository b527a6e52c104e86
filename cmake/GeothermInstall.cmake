# `cmake --install` gives a package for find_package(geotherm).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS geotherm EXPORT geothermTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/geotherm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT geothermTargets NAMESPACE geotherm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm)
configure_package_config_file(cmake/geothermConfig.cmake.in
  "${CMAKE_CURRENT_BINARY_DIR}/geothermConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm)
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/geothermConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/geothermConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/geothermConfigVersion.cmake"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/geotherm)
if(TARGET geotherm_cli)
  install(TARGETS geotherm_cli geotherm_reproduce RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.bash"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME geotherm)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.zsh"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _geotherm)
  install(FILES "${GEOTHERM_SHARE_DIR}/geotherm.fish"
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
