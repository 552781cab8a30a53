# Sets `objects` to what the build in SHINGLE_TEST_OBJECTS makes of the `sources` of its program `target`, and has that
# build made first. The target's build here runs one such build at a time: each uses every core.
set_property(GLOBAL APPEND PROPERTY JOB_POOLS other_build=1)
function(objects_of_another_build target sources objects)
  set(found "")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND found ${SHINGLE_TEST_OBJECTS}/tests/CMakeFiles/${target}.dir/${source}.o)
  endforeach()
  cmake_path(GET SHINGLE_TEST_OBJECTS FILENAME preset)
  add_custom_target(objects_of_${target} BYPRODUCTS ${found}
    COMMAND test -f ${SHINGLE_TEST_OBJECTS}/build.ninja || ${CMAKE_COMMAND} --preset ${preset}
    COMMAND ${CMAKE_COMMAND} --build --preset ${preset} --target ${target}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} JOB_POOL other_build)
  set_source_files_properties(${found} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set(${objects} ${found} PARENT_SCOPE)
endfunction()
