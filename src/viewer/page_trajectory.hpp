// The trajectory of a page as JSON, and what is wrong with one.
#pragma once

#include "geotherm/page.hpp"
#include "viewer/page_text.hpp"

namespace geotherm::detail {

/// `sample`: the points that are shown, ascending; empty: all.
std::string trajectory_json(const PageTrajectory&, std::span<const std::size_t> sample,
                            PageBlocks&);
void check_trajectory(const PageData&, std::vector<std::string>& issues);

}  // namespace geotherm::detail
