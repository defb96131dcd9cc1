# What `cmake --install` puts where: libraries, header, CLI with its manual pages and completions, and what
# find_package(starling) and pkg-config read. Paths inside are relative to the installed files, so that the prefix may be
# moved.
include(CMakePackageConfigHelpers)

set(licence_folder ${CMAKE_INSTALL_DATADIR}/doc/starling)
install(FILES LICENSE DESTINATION ${licence_folder})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/starling)
install(TARGETS starling EXPORT starling LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS starling_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/starling/starling.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/starling)
if(STARLING_BUILD_TOOLS)
  install(TARGETS starling_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  set(completions ${PROJECT_BINARY_DIR}/share/completions)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${completions}/starling DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completions}/_starling DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completions}/starling.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  # Of what is in the command line program.
  foreach(part d3 plot)
    install(DIRECTORY third_party/${part} DESTINATION ${licence_folder} FILES_MATCHING PATTERN "LICENSE*")
  endforeach()
endif()

install(EXPORT starling FILE starlingTargets.cmake NAMESPACE starling:: DESTINATION ${package_folder})
configure_package_config_file(cmake/starlingConfig.cmake.in ${PROJECT_BINARY_DIR}/starlingConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/starlingConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/starlingConfig.cmake ${PROJECT_BINARY_DIR}/starlingConfigVersion.cmake
        DESTINATION ${package_folder})

# pkg-config has no name for "the MPI of this system", so the flags of the MPI that was built with are written out.
file(RELATIVE_PATH pkgconfig_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pkgconfig_prefix ${pkgconfig_prefix})
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE pkgconfig_mpi_cflags)
list(JOIN pkgconfig_mpi_cflags " " pkgconfig_mpi_cflags)
list(JOIN MPI_C_LIBRARIES " " pkgconfig_mpi_libs)
configure_file(cmake/starling.pc.in ${PROJECT_BINARY_DIR}/starling.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/starling.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
