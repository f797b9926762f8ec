# Generates a C++ source with the contents of a text file as a constant.
#   cmake -D INPUT=FILE -D OUTPUT=FILE.cc -D NAMESPACE=NAMESPACE -D NAME=kConstant -P embed.cmake
file(READ ${INPUT} text)
string(FIND "${text}" ")EMBEDDED\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${INPUT}: holds the mark that ends it")
endif()
file(WRITE ${OUTPUT} "#include <string_view>

namespace ${NAMESPACE} {

extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"EMBEDDED(${text})EMBEDDED\";

}  // namespace ${NAMESPACE}
")
