# What `cmake --install` puts of the plugin for GStreamer, component gstreamer, and its Debian package gstreamer1.0-shingle.
set(SHINGLE_GSTREAMER_FOLDER lib/${CMAKE_LIBRARY_ARCHITECTURE}/gstreamer-1.0 CACHE STRING
  "where the plugin for GStreamer is installed, below the prefix; Debian's GStreamer looks there below /usr")
install(TARGETS gstshingle LIBRARY DESTINATION ${SHINGLE_GSTREAMER_FOLDER} COMPONENT gstreamer)

set(CPACK_DEBIAN_GSTREAMER_PACKAGE_NAME gstreamer1.0-shingle)
set(CPACK_DEBIAN_GSTREAMER_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_GSTREAMER_PACKAGE_DEPENDS "libshingle0 (= ${PROJECT_VERSION}), shingle-node")
set(CPACK_DEBIAN_GSTREAMER_PACKAGE_RECOMMENDS "gstreamer1.0-plugins-base")
set(CPACK_DEBIAN_GSTREAMER_PACKAGE_SUGGESTS "gstreamer1.0-plugins-good, gstreamer1.0-libav, gstreamer1.0-tools")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/apps)  # libshingle.so.0 is of no installed package
set(CPACK_COMPONENT_GSTREAMER_DESCRIPTION "distributed CNN inference: the plugin for GStreamer
The element shingleinfer finds objects in raw video by a network that a cluster
of small machines computes, or worker processes of this machine.")
