# What `cmake --install` puts where: the program, and model, traces and sim as a package that find_package(tilemeter) finds.
# Included by the root. Headers keep the names by which they include each other: <prefix>/include/tilemeter/model/units.hpp
# is "model/units.hpp" to them, and <tilemeter/model/units.hpp> to a user.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/tilemeter)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilemeter)

foreach(library model traces sim)
  set_target_properties(tilemeter_${library} PROPERTIES EXPORT_NAME ${library})
  target_compile_features(tilemeter_${library} PUBLIC cxx_std_20)
endforeach()

install(TARGETS tilemeter_model tilemeter_traces tilemeter_sim EXPORT tilemeter
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  FILE_SET HEADERS DESTINATION ${header_folder} COMPONENT library
  FILE_SET alone DESTINATION ${header_folder} COMPONENT library
  FILE_SET inlines DESTINATION ${header_folder} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${header_folder})
install(EXPORT tilemeter NAMESPACE tilemeter:: FILE tilemeterTargets.cmake DESTINATION ${package_folder} COMPONENT library)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/tilemeterConfig.cmake.in ${PROJECT_BINARY_DIR}/tilemeterConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may change what is declared in headers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tilemeterConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilemeterConfig.cmake ${PROJECT_BINARY_DIR}/tilemeterConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT library)

install(TARGETS tilemeter RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# What the program writes of itself: completions, where shells look for them, and the manual page.
install(CODE "
  function(write_of_itself file)
    set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${file}\")
    cmake_path(GET path PARENT_PATH folder)
    file(MAKE_DIRECTORY \"\${folder}\")
    message(STATUS \"Installing: \${path}\")
    execute_process(COMMAND \"$<TARGET_FILE:tilemeter>\" \${ARGN} OUTPUT_FILE \"\${path}\" COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_PREFIX}/\${file}\")
    set(CMAKE_INSTALL_MANIFEST_FILES \"\${CMAKE_INSTALL_MANIFEST_FILES}\" PARENT_SCOPE)
  endfunction()
  write_of_itself(\"${CMAKE_INSTALL_DATADIR}/bash-completion/completions/tilemeter\" completions bash)
  write_of_itself(\"${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_tilemeter\" completions zsh)
  write_of_itself(\"${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/tilemeter.fish\" completions fish)
  write_of_itself(\"${CMAKE_INSTALL_MANDIR}/man1/tilemeter.1\" man)
" COMPONENT program)
