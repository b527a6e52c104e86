vcpkg_from_github(
    OUT_SOURCE_PATH SOURCE_PATH
    REPO geotherm/geotherm
    REF "v${VERSION}"
    SHA512 0
    HEAD_REF main
)
# Header libraries that vcpkg does not have, as PyPI's assorthead bundles them.
vcpkg_download_distfile(ASSORTHEAD
    URLS "https://files.pythonhosted.org/packages/py3/a/assorthead/assorthead-0.2.2-py3-none-any.whl"
    FILENAME "assorthead-0.2.2.zip"
    SHA512 0
)
vcpkg_extract_source_archive(ASSORTHEAD_PATH ARCHIVE "${ASSORTHEAD}" NO_REMOVE_ONE_LEVEL)

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
    FEATURES
        hdf5 GEOTHERM_WITH_HDF5
        tools GEOTHERM_BUILD_CLI
)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        ${FEATURE_OPTIONS}
        -DGEOTHERM_BUILD_TESTS=OFF
        -DGEOTHERM_BUILD_PYTHON=OFF
        -DGEOTHERM_SYSTEM_EIGEN=ON
        -DGEOTHERM_UNITY=ON
        "-DGEOTHERM_HEADERS_DIR=${ASSORTHEAD_PATH}/assorthead/include"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/geotherm)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES geotherm AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
