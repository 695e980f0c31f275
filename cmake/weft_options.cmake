# Build options and the interface target that every target of the project links.

set(WEFT_CUDA AUTO CACHE STRING "Build the CUDA kernels: AUTO (when nvcc is found), ON or OFF")
set_property(CACHE WEFT_CUDA PROPERTY STRINGS AUTO ON OFF)
option(WEFT_EVERY_GPU "Machine code for every GPU since Turing instead of Hopper alone")
set(WEFT_SANITIZE "" CACHE STRING "Sanitizers for host code, for example address,undefined")

# Warnings are errors with the project's reference compiler (GCC 12, Debian 12). A newer compiler
# finds new warnings and a newer FFmpeg deprecates calls; neither should break a user's build.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(werror_default ON)
else()
    set(werror_default OFF)
endif()
option(WEFT_WERROR "Treat warnings as errors" ${werror_default})

# Optional: a second clean build then takes seconds. CMake repeats a search that found nothing, and a
# launcher changes every command: ccache installed after the first configuration would rebuild every
# file, so the first answer is kept.
if(NOT DEFINED WEFT_CCACHE)
    find_program(WEFT_CCACHE ccache)
endif()
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # It caches sources with a precompiled header only if it may take the header's macros and times
    # as they are, and if GCC names the header in its preprocessed text.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${WEFT_CCACHE})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${WEFT_CCACHE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    else()
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
endif()

# Parsing these takes a third of a compilation. They are precompiled once for all targets whose flags
# are equal, and every header of ours still compiles without them (weft_header_selftest).
set(WEFT_COMMON_HEADERS <algorithm> <array> <chrono> <cmath> <cstdint> <filesystem> <functional>
    <map> <memory> <mutex> <optional> <span> <string> <string_view> <utility> <vector>
    <fmt/format.h>)

include(CheckPIESupported)
check_pie_supported()

add_library(weft_options INTERFACE)
target_include_directories(weft_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(weft_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                              -Wnon-virtual-dtor -Wold-style-cast>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>
    # xz compresses plain kernels a third smaller than kernels already compressed by nvcc, but those
    # for every GPU would be 105 MB in each program.
    $<$<COMPILE_LANGUAGE:CUDA>:$<IF:$<BOOL:${WEFT_EVERY_GPU}>,--compress-mode=size,-no-compress>>)
# False alarms of GCC 12 at -O3: overlap in every "text" + std::string (GCC bug 105651), three about
# copied strings where a precompiled header hides that their code is the library's, and members of a
# moved std::variant's other alternatives. clang-tidy looks for uninitialised values instead.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(weft_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
                                  -Wno-stringop-overread -Wno-maybe-uninitialized>)
endif()
if(WEFT_WERROR)
    target_compile_options(weft_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-Werror>
        $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()

# The program reads files of unknown origin. FORTIFY needs optimisation, and sanitizers replace it.
if(WEFT_SANITIZE)
    target_compile_options(weft_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer
                                  -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS -DWEFT_SANITIZED>)
    target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
else()
    target_compile_options(weft_options INTERFACE
        $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong -U_FORTIFY_SOURCE
                                  $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>>)
    target_link_options(weft_options INTERFACE LINKER:-z,relro,-z,now)
endif()

# nvcc on PATH, else the toolkit's usual prefix.
if(NOT WEFT_CUDA STREQUAL "OFF")
    find_program(WEFT_NVCC nvcc HINTS ENV CUDACXX PATHS /usr/local/cuda/bin)
    if(WEFT_NVCC)
        set(CMAKE_CUDA_COMPILER ${WEFT_NVCC})
        # Machine code for Hopper, or for Turing, Ampere, Ada, Hopper and both Blackwells; and PTX,
        # which the driver compiles for all others since Turing.
        if(WEFT_EVERY_GPU)
            set(cuda_targets 75-virtual 75-real 80-real 86-real 89-real 90-real 100-real 120-real)
        else()
            set(cuda_targets 75-virtual 90-real)
        endif()
        set(CMAKE_CUDA_ARCHITECTURES "${cuda_targets}" CACHE STRING "CUDA targets")
        # The same for sources whose instructions need Ampere.
        string(REPLACE "75-virtual" "80-virtual" WEFT_AMPERE_ARCHITECTURES
            "${CMAKE_CUDA_ARCHITECTURES}")
        list(REMOVE_ITEM WEFT_AMPERE_ARCHITECTURES 75-real)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        # CMake 3.25 does not know that nvcc supports C++20 and refuses to generate.
        if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
        endif()
    elseif(WEFT_CUDA STREQUAL "ON")
        message(FATAL_ERROR "WEFT_CUDA=ON, but there is no nvcc on PATH or in /usr/local/cuda/bin")
    endif()
endif()
if(WEFT_NVCC AND NOT WEFT_CUDA STREQUAL "OFF")
    set(WEFT_HAVE_CUDA ON)
else()
    set(WEFT_HAVE_CUDA OFF)
    message(STATUS "Building without the CUDA kernels: for them, install the CUDA toolkit "
                   "(nvcc on PATH or in /usr/local/cuda) and run ./dev build again")
endif()
