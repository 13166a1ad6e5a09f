# cmake -DNPM= -DWEB= -DBUILD= -P: checks the types of the viewer and builds BUILD/dist/index.html. The
# file is empty if the packages are not installed.
file(READ ${BUILD}/packages.stamp packages)
file(REMOVE_RECURSE ${BUILD}/dist ${BUILD}/src)
if(NOT packages MATCHES "installed")
  file(WRITE ${BUILD}/dist/index.html "")
  return()
endif()
file(COPY ${WEB}/src ${WEB}/index.html ${WEB}/vite.config.js ${WEB}/tsconfig.json DESTINATION ${BUILD})
execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${BUILD}
                RESULT_VARIABLE status OUTPUT_VARIABLE log ERROR_VARIABLE log)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "the viewer in web/ does not build:\n${log}")
endif()
