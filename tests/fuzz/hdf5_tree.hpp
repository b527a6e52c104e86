// Bytes -> an HDF5 file of the kind our readers open, with the liberties an attacker would take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace geotherm::fuzz {

/// Writes the file that `data` describes (hdf5_tree.cpp says how); steps that HDF5 refuses are left
/// out.
void write_hdf5_tree(const std::string& path, const std::uint8_t* data, std::size_t size);

}  // namespace geotherm::fuzz
