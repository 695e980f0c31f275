# Compiles every header alone, twice in one file, so that each one names all that it uses and is
# guarded. Target weft_header_selftest; ./dev test builds it. Headers are found, not listed: one that
# nobody listed is the one that breaks.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     filters/*.h kernels/*.h app/*.h)
if(WEFT_HAVE_CUDA)
    file(GLOB_RECURSE cuda_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} kernels/*.cuh)
endif()

set(selftest_sources "")
foreach(header IN LISTS headers cuda_headers)
    string(REGEX REPLACE "[/.]" "_" name ${header})
    set(extension cpp)
    if(header MATCHES "[.]cuh$")
        set(extension cu)
    endif()
    set(source ${PROJECT_BINARY_DIR}/header_selftest/${name}.${extension})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n")
    list(APPEND selftest_sources ${source})
endforeach()

# ./dev test counts them.
list(JOIN selftest_sources "\n" list_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/header_selftest/headers.txt CONTENT "${list_text}\n")

add_library(weft_header_selftest OBJECT EXCLUDE_FROM_ALL ${selftest_sources})
target_compile_options(weft_header_selftest PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-O0 -U_FORTIFY_SOURCE>)
target_link_libraries(weft_header_selftest PRIVATE weft_kernels weft_media weft_options fmt::fmt
    tomlplusplus::tomlplusplus nlohmann_json::nlohmann_json CLI11::CLI11 weft_opencv
    PkgConfig::LIBAV)
