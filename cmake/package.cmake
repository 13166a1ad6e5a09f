# Packages for Debian (.deb) and as an archive (.tar.gz); scripts/package makes and tries them.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME graze)
set(CPACK_PACKAGE_CONTACT "The Graze authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_FILE_NAME graze-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# The programs need shared libraries; a program that links the static libraries needs their headers too.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libeigen3-dev, libtbb-dev, libhwy-dev, libqhull-dev, libtinygltf-dev, liburdfdom-dev, libtinyxml2-dev")
include(CPack)
