// The numbers of the paper's tables: paper_tables.csv, made into a source by the build.
#pragma once

#include <string_view>

namespace geotherm::cli {

/// Lines "table,dataset,noise,method,metric,mean,std", the first of them the names.
extern const std::string_view paper_tables;

}  // namespace geotherm::cli
