"""Conan 2 recipe of the library and, on request, the program."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get


class GeothermConan(ConanFile):
    name = "geotherm"
    version = "0.1.0"
    license = "BSD-3-Clause"
    url = "https://geotherm.invalid"
    homepage = "https://geotherm.invalid"
    description = "Maps of data that keep geodesics, by Heat Geodesic Embedding"
    topics = ("dimensionality-reduction", "manifold-learning", "single-cell")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "hdf5": [True, False], "program": [True, False]}
    default_options = {"shared": False, "fPIC": True, "hdf5": True, "program": False}
    implements = ["auto_shared_fpic"]

    def requirements(self):
        self.requires("eigen/3.4.0")
        self.requires("openblas/0.3.27")
        self.requires("zlib/[>=1.2.11 <2]")
        if self.options.hdf5:
            self.requires("hdf5/1.14.3")
        if self.options.program:
            self.requires("fmt/10.2.1")
            self.requires("nlohmann_json/3.11.3")
            self.requires("cli11/2.4.1")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version]["geotherm"], strip_root=True)
        get(self, **self.conan_data["sources"][self.version]["assorthead"], destination="assorthead", strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(
            {
                "GEOTHERM_BUILD_TESTS": False,
                "GEOTHERM_BUILD_PYTHON": False,
                "GEOTHERM_BUILD_CLI": bool(self.options.program),
                "GEOTHERM_WITH_HDF5": bool(self.options.hdf5),
                "GEOTHERM_SYSTEM_EIGEN": True,
                "GEOTHERM_UNITY": True,
                "GEOTHERM_HEADERS_DIR": os.path.join(self.source_folder, "assorthead", "src", "assorthead", "include"),
            }
        )
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "geotherm")
        self.cpp_info.set_property("cmake_target_name", "geotherm::geotherm")
        self.cpp_info.set_property("pkg_config_name", "geotherm")
        self.cpp_info.libs = ["geotherm"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "m"]
