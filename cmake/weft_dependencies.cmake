# All libraries that the project uses, named as in Debian's and Ubuntu's packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(LIBAV REQUIRED IMPORTED_TARGET
    libavformat libavcodec libavutil libswscale libswresample)
# Hashes of receipts: XXH3 and SHA-256.
pkg_check_modules(HASHES REQUIRED IMPORTED_TARGET libxxhash nettle)

# Some releases package a library with CMake files, some with a pkg-config file only.
# weft_find(CMAKE_NAME TARGET PKG_CONFIG_NAME)
function(weft_find name target module)
    find_package(${name} QUIET CONFIG)
    if(NOT TARGET ${target})
        pkg_check_modules(${name}_PC REQUIRED IMPORTED_TARGET GLOBAL ${module})
        add_library(${target} ALIAS PkgConfig::${name}_PC)
    else()
        set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
    endif()
endfunction()

weft_find(fmt fmt::fmt fmt)
weft_find(nlohmann_json nlohmann_json::nlohmann_json nlohmann_json)
weft_find(tomlplusplus tomlplusplus::tomlplusplus tomlplusplus)
weft_find(CLI11 CLI11::CLI11 CLI11)

# Debian ships OpenCV's CMake files only in libopencv-dev, which pulls in 200 packages; core and
# imgproc need none of them.
find_path(OPENCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
find_library(OPENCV_CORE_LIBRARY opencv_core REQUIRED)
find_library(OPENCV_IMGPROC_LIBRARY opencv_imgproc REQUIRED)
add_library(weft_opencv INTERFACE)
target_include_directories(weft_opencv SYSTEM INTERFACE ${OPENCV_INCLUDE_DIR})
target_link_libraries(weft_opencv INTERFACE ${OPENCV_IMGPROC_LIBRARY} ${OPENCV_CORE_LIBRARY})

# Metadata of pictures. Exiv2 is under the GPL: without it, the program is built without them.
pkg_check_modules(EXIV2 QUIET IMPORTED_TARGET exiv2)
if(NOT EXIV2_FOUND)
    message(STATUS "Building without Exiv2: pictures lose EXIF, XMP, IPTC and ICC profiles; to keep "
                   "them, install libexiv2-dev and build again")
endif()

# FFmpeg's encoder has no option that keeps colors under fully transparent pixels.
pkg_check_modules(WEBP QUIET IMPORTED_TARGET libwebp)
if(NOT WEBP_FOUND)
    message(STATUS "Building without libwebp: lossless WebP pictures with colors under transparent "
                   "pixels fail; to write them, install libwebp-dev and build again")
endif()

# Headers only: the libraries are loaded at run time.
find_path(PORTAUDIO_INCLUDE_DIR portaudio.h REQUIRED)
pkg_check_modules(DBUS REQUIRED dbus-1)
pkg_check_modules(FONTCONFIG REQUIRED fontconfig)

# The window's libraries and its font. Without them the program is built without the window.
pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui)
pkg_check_modules(GLFW QUIET IMPORTED_TARGET glfw3)
pkg_check_modules(EPOXY QUIET IMPORTED_TARGET epoxy)
pkg_check_modules(FREETYPE QUIET IMPORTED_TARGET freetype2)
find_file(WEFT_INTER Inter-Regular.otf PATHS /usr/share/fonts/opentype/inter NO_DEFAULT_PATH)
if(IMGUI_FOUND AND GLFW_FOUND AND EPOXY_FOUND AND FREETYPE_FOUND AND WEFT_INTER)
    set(WEFT_HAVE_WINDOW ON)
else()
    set(WEFT_HAVE_WINDOW OFF)
    message(STATUS "Building without the window: for it, install libimgui-dev libglfw3-dev "
                   "libepoxy-dev libfreetype-dev fonts-inter and build again")
endif()
