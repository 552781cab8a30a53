# What `cmake --install` puts of the package for Python, component python, and its Debian package python3-shingle.
set(SHINGLE_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING
  "where the package for Python is installed, below the prefix; Debian's Python looks there below /usr")
set(folder ${SHINGLE_PYTHON_FOLDER}/shingle)
install(TARGETS shingle_python LIBRARY DESTINATION ${folder} COMPONENT python)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/python/shingle/ DESTINATION ${folder} COMPONENT python
  PATTERN __pycache__ EXCLUDE PATTERN .mypy_cache EXCLUDE)

math(EXPR next_minor "${SHINGLE_PYTHON_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-shingle)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(SHINGLE_PYTHON_DEPENDS
  "python3 (>= 3.${SHINGLE_PYTHON_MINOR}), python3 (<< 3.${next_minor}), python3-numpy, shingle-node"
  CACHE INTERNAL "what python3-shingle needs beside the library; tools/package reads it")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libshingle0 (= ${PROJECT_VERSION}), ${SHINGLE_PYTHON_DEPENDS}")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/apps)  # libshingle.so.0 is of no installed package
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pil, python3-opencv")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_SOURCE_DIR}/debian/python/postinst;${CMAKE_CURRENT_SOURCE_DIR}/debian/python/prerm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "distributed CNN inference: the package for Python
Sessions as in ONNX Runtime, which compute on a cluster of small machines or on
worker processes of this machine. NumPy arrays in and out, futures, asyncio.")
