# One interface target with every warning as an error and the hardening of a release build.
add_library(pybox_flags INTERFACE)
target_compile_options(pybox_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Wimplicit-fallthrough -Werror -fstack-protector-strong -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in every "literal" + std::string (GCC bug 105651).
  target_compile_options(pybox_flags INTERFACE -Wno-restrict)
endif()
target_compile_definitions(pybox_flags INTERFACE _GLIBCXX_ASSERTIONS _GNU_SOURCE
  PYBOX_VERSION="${PROJECT_VERSION}")
# runtime/ is included by folder ("base/result.hpp"), campaign/ and reports/ from the root.
target_include_directories(pybox_flags INTERFACE ${CMAKE_SOURCE_DIR}/runtime ${CMAKE_SOURCE_DIR})
target_link_options(pybox_flags INTERFACE -Wl,-z,relro,-z,now -Wl,--gc-sections)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_definitions(pybox_flags INTERFACE _FORTIFY_SOURCE=2)
endif()
if(PYBOX_SANITIZE)
  target_compile_options(pybox_flags INTERFACE -fsanitize=${PYBOX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(pybox_flags INTERFACE -fsanitize=${PYBOX_SANITIZE})
endif()
if(PYBOX_TIDY)
  find_program(CLANG_TIDY NAMES clang-tidy REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${CLANG_TIDY} --quiet)
endif()
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
