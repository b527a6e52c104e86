# How every target of ours is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(GEOTHERM_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

find_program(GEOTHERM_CCACHE ccache)
if(GEOTHERM_CCACHE AND GEOTHERM_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The settings under which it keeps what was compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      "${GEOTHERM_CCACHE}")
endif()

add_library(geotherm_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(geotherm_warnings INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
  if(GEOTHERM_WERROR)
    target_compile_options(geotherm_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endif()

# What makes a defect harder to turn into an attack: checked copies, guarded stacks, tables that are
# read-only once the program runs. `make` and the preset `release` ask for it; sanitizers have their
# own ways.
option(GEOTHERM_HARDENING "Compile and link with the usual protections" OFF)
add_library(geotherm_hardening INTERFACE)
if(GEOTHERM_HARDENING AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang"
   AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_compile_options(geotherm_hardening INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-fstack-clash-protection>"
    "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(geotherm_hardening INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# The commands and the tests are compiled far more often than their own loops matter: all arithmetic is in
# the library, which is optimised as ever.
add_library(geotherm_lightly_optimised INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(geotherm_lightly_optimised INTERFACE $<$<CONFIG:Release>:-O1>)
endif()
