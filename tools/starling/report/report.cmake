# Adds `starling report` to starling_cli_parts. What a page holds beside figures is put into the program.
set(report_assets ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cc)
set(report_folder ${CMAKE_CURRENT_LIST_DIR})
set(third_party ${PROJECT_SOURCE_DIR}/third_party)
set(report_files
  kReportPage=${report_folder}/page.html
  kReportStyle=${report_folder}/report.css
  kReportScript=${report_folder}/tables.js
  kReportScript=${report_folder}/plots.js
  kReportScript=${report_folder}/report.js
  kReportD3=${third_party}/d3/d3.min.js
  kReportPlot=${third_party}/plot/plot.umd.min.js
  kReportLicences=${third_party}/d3/LICENSE
  kReportLicences=${third_party}/plot/LICENSE
  kReportLicences=${third_party}/plot/LICENSE.binary-search-bounds
  kReportLicences=${third_party}/plot/LICENSE.interval-tree-1d
  kReportLicences=${third_party}/plot/LICENSE.isoformat)
list(TRANSFORM report_files REPLACE "^[^=]*=" "" OUTPUT_VARIABLE report_inputs)
add_custom_command(OUTPUT ${report_assets}
  COMMAND ${CMAKE_COMMAND} -D OUTPUT=${report_assets} -P ${report_folder}/embed.cmake -- ${report_files}
  DEPENDS ${report_folder}/embed.cmake ${report_inputs} VERBATIM)
# The text of a file may be longer than a compiler has to take; all that build Starling do.
set_source_files_properties(${report_assets} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings
                            SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_sources(starling_cli_parts PRIVATE
  report_call.cc report_comparison.cc report_document.cc report_page.cc report_site.cc
  report_table.cc report_warnings.cc ${report_assets})
# Calls are simulated with what src/tuner recorded of costs.
target_link_libraries(starling_cli_parts PUBLIC starling_tuner)
