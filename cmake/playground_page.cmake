# cmake -DNPM= -DWEB= -DBUILD= -DPACKAGE= -DCORPUS= -DPAGE= -P: builds the viewer and the playground in BUILD, with
# the library of the folder PACKAGE and the queries of CORPUS, and writes the page PAGE. The file is empty if the
# packages of npm are not installed.
include(${CMAKE_CURRENT_LIST_DIR}/viewer_page.cmake)
if(NOT packages MATCHES "installed")
  file(WRITE ${PAGE} "")
  return()
endif()
set(playground ${BUILD}/playground)
file(REMOVE_RECURSE ${playground})
file(COPY ${WEB}/playground DESTINATION ${BUILD})
file(COPY ${PACKAGE}/graze.js ${PACKAGE}/graze.d.ts DESTINATION ${playground}/src/graze)
file(GLOB queries ${CORPUS}/*.txt)
file(COPY ${queries} DESTINATION ${playground}/src/corpus)
set(ENV{GRAZE_WASM_FILE} ${PACKAGE}/graze.wasm)
set(ENV{GRAZE_VIEWER_FILE} ${BUILD}/dist/index.html)
execute_process(COMMAND ${NPM} run --silent playground WORKING_DIRECTORY ${BUILD}
                RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the playground in web/playground does not build:\n${log}")
endif()
file(COPY_FILE ${playground}/dist/index.html ${PAGE})
