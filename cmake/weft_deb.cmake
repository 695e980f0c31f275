# ./dev deb: one .deb from the install rules. It depends on the distribution's own libraries, so it
# is built on the release that it is for and names it: warpweft_0.1.0-1~debian12_amd64.deb.
cmake_host_system_information(RESULT os QUERY DISTRIB_INFO)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME warpweft)
set(CPACK_PACKAGE_VENDOR "The Warpweft authors")
set(CPACK_PACKAGE_CONTACT "The Warpweft authors <weft@warpweft.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # the tests are not part of it
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "1~${os_ID}${os_VERSION_ID}")
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded at run time: audio, OpenGL, the desktop's theme and its fonts; the desktop's file dialog, which the window has a list of its
# own for and which alone brings 300 packages; the driver, of whatever version.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libportaudio2, libgl1, libegl1, libdbus-1-3, libfontconfig1")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "zenity | kdialog, nvidia-driver | nvidia-driver-535 | nvidia-driver-550")
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/weft_deb_scripts.cmake)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "filter video and images with convolutions on the GPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"A window and a command that open what FFmpeg opens, filter it with 2D
convolutions on an NVIDIA GPU or on the CPU, and show what each kernel costs.
Whole folders are filtered without losing a frame, a stream or a timestamp.")
include(CPack)
