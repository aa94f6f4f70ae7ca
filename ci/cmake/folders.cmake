# pybox_folder(NAME USES lib… FILES a.cpp …): one static library per folder of runtime/, named
# pybox_NAME, and from its x_test.cpp files one test program NAME_tests whose cases ctest lists.
function(pybox_folder name)
  cmake_parse_arguments(ARG "" "" "USES;FILES;TESTS" ${ARGN})
  add_library(pybox_${name} STATIC ${ARG_FILES})
  target_link_libraries(pybox_${name} PUBLIC pybox_flags ${ARG_USES})
  if(PYBOX_TESTS AND ARG_TESTS)
    add_executable(${name}_tests ${ARG_TESTS})
    target_link_libraries(${name}_tests PRIVATE pybox_${name} Catch2::Catch2WithMain)
    catch_discover_tests(${name}_tests TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 4)
  endif()
endfunction()

# A program that users get: static and hardened. All stand in build/PRESET/bin, where pybox finds boxd.
function(pybox_program name)
  cmake_parse_arguments(ARG "" "" "USES;FILES" ${ARGN})
  add_executable(${name} ${ARG_FILES})
  target_link_libraries(${name} PRIVATE pybox_flags ${ARG_USES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  if(PYBOX_STATIC)
    target_link_options(${name} PRIVATE -static-pie -Wl,-z,pack-relative-relocs)
  endif()
  # Without symbols, and written anew in large pieces: a linker writes small ones, and a kernel with large folios
  # (XFS; ext4 since Linux 6.16) keeps a file in pieces as they came. Each run takes half a millisecond more then.
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${CMAKE_STRIP} -o $<TARGET_FILE:${name}>.stripped $<TARGET_FILE:${name}>
      COMMAND ${CMAKE_COMMAND} -E rename $<TARGET_FILE:${name}>.stripped $<TARGET_FILE:${name}> VERBATIM)
  endif()
endfunction()

# A program like one that users get, some of whose files are compiled in another way; never installed. They stand in
# the libraries too, and where a room is compiled in one piece they come along with it: the program's own are taken.
function(pybox_variant name)
  pybox_program(${name} ${ARGN})
  target_link_options(${name} PRIVATE -Wl,--allow-multiple-definition)
endfunction()
