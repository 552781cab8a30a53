# Precompiled headers: the standard library's headers that most sources read.
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")
set(precompiled_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <deque> <filesystem> <fstream>
  <functional> <iostream> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string> <string_view>
  <thread> <utility> <variant> <vector>)

# Lets `target` start from the headers of `provider`. A source with options of its own cannot: the compiler accepts a
# precompiled header for equal options only.
function(start_from provider target)
  target_precompile_headers(${target} REUSE_FROM ${provider})
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "^\\$")  # objects of another target
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})  # relative names would mean this list's folder
    get_property(options SOURCE ${source} DIRECTORY ${folder} PROPERTY COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} DIRECTORY ${folder} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# Makes `provider`: the headers above and `ARGN`, compiled as shingle's own code is, with `options` and the property
# NOT_INSTRUMENTED as given.
function(precompile provider options not_instrumented)
  add_library(${provider} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${provider} PRIVATE shingle_flags)
  target_compile_options(${provider} PRIVATE ${options})
  set_target_properties(${provider} PROPERTIES NOT_INSTRUMENTED "${not_instrumented}")
  target_precompile_headers(${provider} PRIVATE ${precompiled_headers} ${ARGN})
endfunction()

# Targets of command lines, whose libraries are many headers.
function(precompile_command_lines)
  precompile(shingle_precompiled_command_lines "" OFF <CLI/CLI.hpp> <nlohmann/json.hpp>)
  foreach(target IN LISTS ARGN)
    start_from(shingle_precompiled_command_lines ${target})
  endforeach()
endfunction()

# All other targets of `folder` and of the folders in it.
function(precompile_in folder)
  if(NOT TARGET shingle_precompiled)
    precompile(shingle_precompiled "" OFF)
  endif()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(another ${target} PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(without ${target} DISABLE_PRECOMPILE_HEADERS)
    if(NOT target MATCHES "^shingle_precompiled" AND NOT another AND NOT without AND type MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$")
      start_from(shingle_precompiled ${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inside IN LISTS folders)
    precompile_in(${inside})
  endforeach()
endfunction()
