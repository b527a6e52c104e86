# scripts/release.py --hashes fills in the hashes of a release.
vcpkg_download_distfile(SOURCE
    URLS "https://pypi.org/packages/source/g/geotherm/geotherm-${VERSION}.tar.gz"
    FILENAME "geotherm-${VERSION}.tar.gz"
    SHA512 0
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${SOURCE}")
# Header libraries that vcpkg does not have, as PyPI's assorthead bundles them.
vcpkg_download_distfile(ASSORTHEAD
    URLS "https://files.pythonhosted.org/packages/source/a/assorthead/assorthead-0.2.2.tar.gz"
    FILENAME "assorthead-0.2.2.tar.gz"
    SHA512 562943f595d30a44bb32d4cdfde5cc979e61f7605c369f37ff926009b2950909988c90696680dd3ca0a4af112749cf129fe5521582284b9abc1f2cc136762832
)
vcpkg_extract_source_archive(ASSORTHEAD_PATH ARCHIVE "${ASSORTHEAD}")

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
        "-DGEOTHERM_HEADERS_DIR=${ASSORTHEAD_PATH}/src/assorthead/include"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/geotherm)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
    vcpkg_copy_tools(TOOL_NAMES geotherm AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
