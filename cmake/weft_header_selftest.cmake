# Compiles every header alone, included twice, to prove that it includes all that it uses and
# is guarded. Target weft_header_selftest; ./dev test builds it. Headers are globbed, because an
# unlisted header would be the one that breaks. The build already compiles a header alone if its own
# source includes it first, which leaves 119 of 399.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     filters/*.h kernels/*.h app/*.h)
if(WEFT_HAVE_CUDA)
    file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} kernels/*.cuh)
endif()

# Whether the header has `#pragma once` and the source of the same name includes it first.
function(is_compiled_first header result)
    set(${result} FALSE PARENT_SCOPE)
    string(REGEX REPLACE "[.][a-z]+$" "" stem ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${header} guard LIMIT_COUNT 1 REGEX "^#pragma once$")
    foreach(extension cpp cu)
        set(source ${PROJECT_SOURCE_DIR}/${stem}.${extension})
        if(guard AND EXISTS ${source})
            file(STRINGS ${source} first LIMIT_COUNT 1 REGEX "^#include ")
            if(first STREQUAL "#include \"${header}\"")
                set(${result} TRUE PARENT_SCOPE)
            endif()
        endif()
    endforeach()
endfunction()

set(selftest_sources "")
foreach(header IN LISTS headers cuda_headers)
    is_compiled_first(${header} compiled)
    if(compiled)
        continue()
    endif()
    string(REGEX REPLACE "[/.]" "_" name ${header})
    set(extension cpp)
    if(header MATCHES "[.]cuh$")
        set(extension cu)
    endif()
    set(source ${PROJECT_BINARY_DIR}/header_selftest/${name}.${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND selftest_sources ${source})
endforeach()

# ./dev test counts the entries.
list(JOIN selftest_sources "\n" list_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/header_selftest/headers.txt CONTENT "${list_text}\n")

add_library(weft_header_selftest OBJECT EXCLUDE_FROM_ALL ${selftest_sources})
target_compile_options(weft_header_selftest PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-O0 -U_FORTIFY_SOURCE>)
target_link_libraries(weft_header_selftest PRIVATE weft_kernels weft_media weft_options fmt::fmt
    tomlplusplus::tomlplusplus nlohmann_json::nlohmann_json weft_opencv PkgConfig::LIBAV)
# One architecture and PTX only: a missing include shows before machine code is generated.
set_target_properties(weft_header_selftest PROPERTIES CUDA_ARCHITECTURES 90-virtual)
