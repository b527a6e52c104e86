# The HTML page: viewer/ is bundled by esbuild into one template, which becomes a C++ source of the
# library. npm is called only when the lock file has changed. Wheels, and machines without Node.js,
# take the source that `make page` left in viewer/dist, where it is there: source distributions carry it.
# (.deps/node: where scripts/setup.sh puts Node.js if the system has none.)
find_program(GEOTHERM_NODE NAMES node nodejs HINTS "${CMAKE_CURRENT_SOURCE_DIR}/.deps/node/bin")
find_program(GEOTHERM_NPM npm HINTS "${CMAKE_CURRENT_SOURCE_DIR}/.deps/node/bin")
set(_can_build_viewer OFF)
if(GEOTHERM_NODE AND GEOTHERM_NPM AND EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/viewer/package-lock.json")
  execute_process(COMMAND "${GEOTHERM_NODE}" --version OUTPUT_VARIABLE _node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(_node_version MATCHES "^v(1[89]|[2-9][0-9])\\.")
    set(_can_build_viewer ON)
  endif()
endif()
set(_page_of_viewer "${CMAKE_CURRENT_SOURCE_DIR}/viewer/dist/page_template.cpp")
set(_takes_page OFF)
if(EXISTS "${_page_of_viewer}" AND (SKBUILD OR NOT _can_build_viewer))
  set(_takes_page ON)
endif()
set(_with_viewer OFF)
if(_can_build_viewer OR _takes_page)
  set(_with_viewer ON)
endif()
option(GEOTHERM_WITH_VIEWER "Build the HTML page into the library; needs Node.js 18 and npm" ${_with_viewer})

if(NOT GEOTHERM_WITH_VIEWER)
  set(_said STATUS)
  if(SKBUILD)
    set(_said WARNING)
  endif()
  message(${_said} "No HTML page (--html, view): Node.js 18 or later and npm were not found. A source distribution has the page; "
    "in a clone, `make page` makes it.")
  return()
endif()
if(_takes_page)
  set(GEOTHERM_VIEWER_SOURCE "${_page_of_viewer}")
  add_custom_target(geotherm_page)
  return()
endif()
if(NOT _can_build_viewer)
  message(FATAL_ERROR "GEOTHERM_WITH_VIEWER is ON, but Node.js 18 or later and npm were not found.")
endif()

set(GEOTHERM_VIEWER_DIR "${CMAKE_CURRENT_SOURCE_DIR}/viewer")
set(GEOTHERM_VIEWER_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/viewer/page_template.cpp")
set(GEOTHERM_VIEWER_HTML "${CMAKE_CURRENT_BINARY_DIR}/viewer/page.html")
set(_viewer_packages "${GEOTHERM_VIEWER_DIR}/node_modules/.package-lock.json")
add_custom_command(OUTPUT "${_viewer_packages}"
  COMMAND "${GEOTHERM_NPM}" ci --no-audit --no-fund --ignore-scripts --loglevel=error
  COMMAND "${CMAKE_COMMAND}" -E touch "${_viewer_packages}"
  DEPENDS "${GEOTHERM_VIEWER_DIR}/package-lock.json"
  WORKING_DIRECTORY "${GEOTHERM_VIEWER_DIR}"
  COMMENT "Packages of the viewer from npm" VERBATIM)
file(GLOB _viewer_sources CONFIGURE_DEPENDS "${GEOTHERM_VIEWER_DIR}/src/*")
add_custom_command(OUTPUT "${GEOTHERM_VIEWER_SOURCE}" "${GEOTHERM_VIEWER_HTML}"
  COMMAND "${GEOTHERM_NODE}" build.mjs --cpp "${GEOTHERM_VIEWER_SOURCE}" --html "${GEOTHERM_VIEWER_HTML}"
  DEPENDS ${_viewer_sources} "${GEOTHERM_VIEWER_DIR}/build.mjs" "${_viewer_packages}"
  WORKING_DIRECTORY "${GEOTHERM_VIEWER_DIR}"
  COMMENT "Bundling the HTML page" VERBATIM)
add_custom_target(geotherm_page DEPENDS "${GEOTHERM_VIEWER_SOURCE}" "${GEOTHERM_VIEWER_HTML}")
