# cmake -DNPM= -DWEB= -DBUILD= -P: installs what package-lock.json names into BUILD/node_modules.
# Without a way to the packages the rest of Graze builds all the same, without pages.
file(COPY ${WEB}/package.json ${WEB}/package-lock.json ${WEB}/.npmrc DESTINATION ${BUILD})
execute_process(COMMAND ${NPM} ci --no-audit --no-fund WORKING_DIRECTORY ${BUILD}
                RESULT_VARIABLE status OUTPUT_FILE ${BUILD}/npm.log ERROR_FILE ${BUILD}/npm.log)
if(status EQUAL 0)
  file(WRITE ${BUILD}/packages.stamp "installed\n")
else()
  file(WRITE ${BUILD}/packages.stamp "failed\n")
  message(WARNING "npm could not install the viewer's packages (${BUILD}/npm.log): graze will write "
                  "no pages. Remove ${BUILD} to try again.")
endif()
