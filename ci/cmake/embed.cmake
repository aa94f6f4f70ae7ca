# Text files carried by a program: while building, this file (run with -P) writes them as raw literals.
#
#   pybox_embed(OUT NAMESPACE ns SETS name=FOLDER:PATTERN …)
#
# makes OUT define, for each set, `const std::map<std::string, std::string>& ns::name()` from the file's
# place below FOLDER to its text. Files that come or go later are noticed.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "#include <map>\n#include <string>\n\nnamespace ${NAMESPACE} {\n")
  foreach(set ${SETS})
    string(REGEX MATCH "^([a-z_]+)=(.*):(.*)$" matched "${set}")
    set(name ${CMAKE_MATCH_1})
    set(folder ${CMAKE_MATCH_2})
    file(GLOB files LIST_DIRECTORIES false RELATIVE ${folder} ${folder}/${CMAKE_MATCH_3})
    list(SORT files)
    string(APPEND text "const std::map<std::string, std::string>& ${name}() {\n"
      "  static const std::map<std::string, std::string> kFiles = {\n")
    foreach(file ${files})
      file(READ ${folder}/${file} content)
      string(APPEND text "{\"${file}\", R\"embedded(${content})embedded\"},\n")
    endforeach()
    string(APPEND text "  };\n  return kFiles;\n}\n")
  endforeach()
  string(APPEND text "}  // namespace ${NAMESPACE}\n")
  file(WRITE ${OUT} "${text}")
  return()
endif()

set(PYBOX_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(pybox_embed out)
  cmake_parse_arguments(ARG "" "NAMESPACE" "SETS" ${ARGN})
  set(inputs)
  foreach(set ${ARG_SETS})
    string(REGEX MATCH "^([a-z_]+)=(.*):(.*)$" matched "${set}")
    file(GLOB files CONFIGURE_DEPENDS LIST_DIRECTORIES false ${CMAKE_MATCH_2}/${CMAKE_MATCH_3})
    list(APPEND inputs ${files})
  endforeach()
  # A file that is gone changes no input that is left; the list of names does.
  string(SHA256 names "${inputs}")
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${out}" "-DNAMESPACE=${ARG_NAMESPACE}" "-DSETS=${ARG_SETS}" "-DNAMES=${names}"
      -P ${PYBOX_EMBED_SCRIPT}
    DEPENDS ${inputs} ${PYBOX_EMBED_SCRIPT} VERBATIM)
endfunction()
