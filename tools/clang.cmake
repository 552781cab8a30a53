# Toolchain of the presets that need clang: the compiler that tools/clang finds at their first configuration.
if(NOT DEFINED ENV{SHINGLE_CLANG})
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/clang OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "There is no clang to build with; see above.")
  endif()
  set(ENV{SHINGLE_CLANG} ${found})  # CMake reads this file again for each of its checks
endif()
string(REPLACE "clang++" "clang" c_compiler $ENV{SHINGLE_CLANG})
set(CMAKE_CXX_COMPILER $ENV{SHINGLE_CLANG} CACHE FILEPATH "C++ compiler")
set(CMAKE_C_COMPILER ${c_compiler} CACHE FILEPATH "C compiler")
