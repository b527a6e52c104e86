// What bench/time_order/peers.py measured: peers.json, made into a source by the build.
#pragma once

#include <string_view>

namespace geotherm::cli {

/// {"made_with": {...}, "rows": [{"data", "method", "root", "spearman", "kendall", ...}]}, or
/// empty.
extern const std::string_view time_order_peers;

}  // namespace geotherm::cli
