# cmake -DNPM= -DWEB= -DBUILD= -P: installs the packages of package-lock.json into BUILD/node_modules.
# If npm fails, for instance without a network, the rest of Graze still builds, without pages.
file(COPY ${WEB}/package.json ${WEB}/package-lock.json ${WEB}/.npmrc DESTINATION ${BUILD})
execute_process(COMMAND ${NPM} ci --no-audit --no-fund WORKING_DIRECTORY ${BUILD}
                RESULT_VARIABLE status OUTPUT_FILE ${BUILD}/npm.log ERROR_FILE ${BUILD}/npm.log)
if(status EQUAL 0)
  file(WRITE ${BUILD}/packages.stamp "installed\n")
else()
  file(WRITE ${BUILD}/packages.stamp "failed\n")
  message(WARNING "npm could not install the packages of the viewer (see ${BUILD}/npm.log): the "
                  "command will not write pages. Remove ${BUILD} to try again.")
endif()
