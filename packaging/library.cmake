# What `cmake --install` puts of the library: component runtime (libshingle.so.0) and dev (headers, archive, package files).
include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/shingle)

install(TARGETS shingle_library EXPORT shingleTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/include/shingle/shingle.h ${PROJECT_SOURCE_DIR}/include/shingle/shingle.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/shingle COMPONENT dev)
install(EXPORT shingleTargets NAMESPACE shingle:: DESTINATION ${cmake_folder} COMPONENT dev)

# What the static library needs besides the C++ library; the shared one has it linked.
set(SHINGLE_PRIVATE_LIBRARIES hwy tomlplusplus zmq paho-mqttpp3 paho-mqtt3as XNNPACK pthreadpool systemd)
list(TRANSFORM SHINGLE_PRIVATE_LIBRARIES PREPEND -l OUTPUT_VARIABLE SHINGLE_PRIVATE_FLAGS)
list(JOIN SHINGLE_PRIVATE_FLAGS " " SHINGLE_PRIVATE_FLAGS)
# Debian's packages of these, which libshingle-dev suggests: few programs are linked statically, and apt installs by itself
# what a package recommends.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libhwy-dev, libtomlplusplus-dev, libzmq3-dev, libpaho-mqttpp-dev, \
libpaho-mqtt-dev, libxnnpack-dev, libpthreadpool-dev, libsystemd-dev")
configure_package_config_file(shingleConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/shingleConfig.cmake
  INSTALL_DESTINATION ${cmake_folder}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/shingleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shingleConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/shingleConfigVersion.cmake
  DESTINATION ${cmake_folder} COMPONENT dev)
# The prefix is known when it is installed.
install(CODE "set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
set(CMAKE_INSTALL_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
set(PROJECT_VERSION \"${PROJECT_VERSION}\")
set(SHINGLE_PRIVATE_FLAGS \"${SHINGLE_PRIVATE_FLAGS}\")
configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/shingle.pc.in\" \"${CMAKE_CURRENT_BINARY_DIR}/shingle.pc\" @ONLY)" COMPONENT dev)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/shingle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# libshingle.a: all rooms of the library in one object, of which only the functions of shingle.h are global. What templates
# of the standard library made for it is local too: some of it would else be there twice in a program in C++.
set(archives "")
foreach(room heads client transport runtime devices xnnpack kernels files partition)
  list(APPEND archives $<TARGET_FILE:shingle_${room}>)
endforeach()
set(object ${CMAKE_CURRENT_BINARY_DIR}/libshingle.o)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/libshingle.a
  COMMAND ${CMAKE_LINKER} -r --force-group-allocation -o ${object} $<TARGET_OBJECTS:shingle_library>
    --whole-archive ${archives}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z* --strip-debug ${object}  # GNU's unique symbols become weak,
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=shingle_* ${object}      # as only these can become local
  COMMAND ${CMAKE_COMMAND} -E rm -f ${CMAKE_CURRENT_BINARY_DIR}/libshingle.a
  COMMAND ${CMAKE_AR} rcs ${CMAKE_CURRENT_BINARY_DIR}/libshingle.a ${object}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${object}
  DEPENDS shingle_library ${archives} COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(shingle-archive ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/libshingle.a)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/libshingle.a DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
