# One precompiled header for every target: the standard library's headers that most sources read.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
add_library(shingle_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(shingle_precompiled PRIVATE shingle_flags)
target_precompile_headers(shingle_precompiled PRIVATE
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <deque> <filesystem> <fstream>
  <functional> <iostream> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view>
  <thread> <utility> <variant> <vector>)

# Lets the targets of `folder` and of the folders in it start from that header. A source with options of its own cannot:
# the compiler accepts a precompiled header for equal options only.
function(precompile_in folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(target STREQUAL shingle_precompiled OR NOT type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    target_precompile_headers(${target} REUSE_FROM shingle_precompiled)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})  # relative names would mean this list's folder
      get_property(options SOURCE ${source} DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
      if(options)
        set_source_files_properties(${source} DIRECTORY ${folder} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inside IN LISTS folders)
    precompile_in(${inside})
  endforeach()
endfunction()
