# An overlay port that builds the clone in which it lies.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DGRAZE_APPS=OFF -DGRAZE_BENCH=OFF -DGRAZE_TESTS=OFF -DGRAZE_PYTHON=OFF -DGRAZE_VIEWER=OFF
          -DGRAZE_GLTF=OFF -DGRAZE_GPU=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/graze)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
