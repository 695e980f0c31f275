# Writes the header OUTPUT with kCommit, the commit that is built, "-dirty" after it if a tracked file
# was changed, "" outside a git tree. Run by each build; the header changes only with the commit.
#   cmake -D SOURCE_DIR=… -D OUTPUT=… -P weft_commit.cmake
execute_process(COMMAND git describe --always --dirty --exclude * --abbrev=10
                WORKING_DIRECTORY ${SOURCE_DIR}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n\nconstexpr char kCommit[] = \"${commit}\";\n")
