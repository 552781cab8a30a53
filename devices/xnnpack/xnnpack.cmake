# The seam to XNNPACK as a library of its own, shingle_xnnpack: what computes links it, and the kernels' tests, whose peer
# XNNPACK is. Each generation of the library's interface is a file; the newest that compiles against the installed
# header is taken.
find_path(XNNPACK_INCLUDE_DIR xnnpack.h REQUIRED)  # Debian ships no package files for these two
find_library(XNNPACK_LIBRARY XNNPACK REQUIRED)

file(GLOB generations RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS xnnpack/xnn_operators_*.cpp)
list(SORT generations ORDER DESCENDING)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # compile, do not link
set(generation "")
set(refusals "")
foreach(file ${generations})
  get_filename_component(name ${file} NAME_WE)
  try_compile(fits_${name} ${CMAKE_CURRENT_BINARY_DIR}/${name} SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${file}
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR};${XNNPACK_INCLUDE_DIR}" CXX_STANDARD 20 OUTPUT_VARIABLE said)
  if(fits_${name})
    set(generation ${file})
    break()
  endif()
  string(APPEND refusals "${said}\n")
endforeach()
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
if(NOT generation)
  message(FATAL_ERROR "${XNNPACK_INCLUDE_DIR}/xnnpack.h is of a generation of XNNPACK that shingle has no file for: "
    "it has ${generations} in devices/xnnpack/. Install another libxnnpack-dev, or write the file.\n${refusals}")
endif()
message(STATUS "XNNPACK's interface: ${generation}")

set(seam executor/memory_account.cpp xnnpack/xnn_memory.cpp ${generation})
list(REMOVE_ITEM sources ${generations} ${seam})
add_library(shingle_xnnpack STATIC ${seam})
target_include_directories(shingle_xnnpack SYSTEM PRIVATE ${XNNPACK_INCLUDE_DIR})
target_link_libraries(shingle_xnnpack PUBLIC shingle_partition PRIVATE ${XNNPACK_LIBRARY})
