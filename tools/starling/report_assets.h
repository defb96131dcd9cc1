// What a report is made of beside its figures: files that the build puts into the program.
#pragma once

#include <string_view>

namespace starling::cli {

extern const std::string_view kReportPage;      // HTML with names in double braces, in whose places the rest goes
extern const std::string_view kReportStyle;     // CSS
extern const std::string_view kReportScript;    // makes tables and plots of the figures
extern const std::string_view kReportD3;        // the library D3
extern const std::string_view kReportPlot;      // the library Plot, which needs D3
extern const std::string_view kReportLicences;  // of both

}  // namespace starling::cli
