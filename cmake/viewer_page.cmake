# cmake -DNPM= -DWEB= -DBUILD= -P: builds BUILD/dist/index.html, empty where the packages are not
# there.
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
  message(FATAL_ERROR "the viewer does not build:\n${log}")
endif()
