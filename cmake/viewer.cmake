# Builds web/ with npm in the build folder into one page, and sets GRAZE_VIEWER_SOURCE to a source file
# that contains the page. Without Node.js or npm the source file contains an empty page, and the command
# reports that on --html.
find_program(GRAZE_NODE node)
find_program(GRAZE_NPM npm)
set(GRAZE_VIEWER_SOURCE ${PROJECT_BINARY_DIR}/viewer_template.cpp)
set(web ${PROJECT_SOURCE_DIR}/web)
set(web_build ${PROJECT_BINARY_DIR}/web)
set(page ${web_build}/dist/index.html)

if(GRAZE_VIEWER AND GRAZE_NODE AND GRAZE_NPM)
  set(web_packages ${web}/package.json ${web}/package-lock.json ${web}/.npmrc)
  file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*)
  list(APPEND web_sources ${web}/index.html ${web}/vite.config.js ${web}/tsconfig.json)
  add_custom_command(OUTPUT ${web_build}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -DNPM=${GRAZE_NPM} -DWEB=${web} -DBUILD=${web_build}
            -P ${PROJECT_SOURCE_DIR}/cmake/viewer_packages.cmake
    DEPENDS ${web_packages} ${PROJECT_SOURCE_DIR}/cmake/viewer_packages.cmake
    COMMENT "Installing the packages of the viewer")
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DNPM=${GRAZE_NPM} -DWEB=${web} -DBUILD=${web_build}
            -P ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    DEPENDS ${web_build}/packages.stamp ${web_sources} ${PROJECT_SOURCE_DIR}/cmake/viewer_page.cmake
    COMMENT "Building the page of the viewer")
  set_source_files_properties(${GRAZE_VIEWER_SOURCE} PROPERTIES OBJECT_DEPENDS ${page})
else()
  if(GRAZE_VIEWER)
    message(STATUS "Node.js or npm was not found: the command will not write pages (--html)")
  endif()
  set(page "")
endif()

if(page)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/viewer_template.cpp.in ${GRAZE_VIEWER_SOURCE} @ONLY)
else()
  file(CONFIGURE OUTPUT ${GRAZE_VIEWER_SOURCE} CONTENT
"#include \"terminal/viewer_template.h\"

namespace graze::command {

std::string_view viewer_template() {
  return {};
}

}  // namespace graze::command
")
endif()
