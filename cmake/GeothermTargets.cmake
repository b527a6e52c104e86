# How every target of ours is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

find_program(GEOTHERM_CCACHE ccache)
if(GEOTHERM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${GEOTHERM_CCACHE}")
endif()

# Heavy headers: one such compile at a time, so that small machines keep their memory.
set_property(GLOBAL PROPERTY JOB_POOLS heavy=1)

add_library(geotherm_warnings INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(geotherm_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
  if(GEOTHERM_WERROR)
    target_compile_options(geotherm_warnings INTERFACE -Werror)
  endif()
endif()
