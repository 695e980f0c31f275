# cmake --install: the program, its presets and its documents. Paths below the prefix are relative
# to bin/weft, so that the tree can be moved (./dev package does).
if(TARGET weft)
    install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET weft-gui)
    install(TARGETS weft-gui LIBRARY DESTINATION lib/warpweft)
endif()
install(DIRECTORY assets/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpweft/presets
        FILES_MATCHING PATTERN "*.toml")
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpweft)
# Examples to copy, for batch engines.
install(PROGRAMS assets/cluster/slurm.sh assets/cluster/stage.sh
        DESTINATION ${CMAKE_INSTALL_DATADIR}/warpweft/cluster)
install(FILES assets/cluster/kubernetes.yaml assets/cluster/weft.def
        DESTINATION ${CMAKE_INSTALL_DATADIR}/warpweft/cluster)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpweft)

# The man page is generated from the program's own help; the benchmark's help covers `weft bench`.
set(man_page ${PROJECT_BINARY_DIR}/man/weft.1)
add_custom_command(
    OUTPUT ${man_page}
    COMMAND ${PROJECT_SOURCE_DIR}/assets/man/make_man.sh $<TARGET_FILE:weft>
            ${PROJECT_SOURCE_DIR}/docs/manual.md ${man_page}
    DEPENDS weft assets/man/make_man.sh assets/man/help_to_mdoc.awk assets/man/weft.1.in docs/manual.md
            $<$<TARGET_EXISTS:weft-bench>:weft-bench>
    COMMENT "Writing the man page"
    VERBATIM)
add_custom_target(weft-man ALL DEPENDS ${man_page})
install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# The clip that the window's first page offers. It is not part of `all`: encoding it takes longer than
# most incremental builds.
set(sample_clip ${PROJECT_BINARY_DIR}/sample.mp4)
add_custom_command(
    OUTPUT ${sample_clip}
    COMMAND weft-make-clip ${sample_clip}
    DEPENDS weft-make-clip
    COMMENT "Drawing the sample clip"
    VERBATIM)
add_custom_target(weft-sample DEPENDS ${sample_clip})
install(FILES ${sample_clip} DESTINATION ${CMAKE_INSTALL_DATADIR}/warpweft OPTIONAL)

# Files for desktops and shells.
set(app_id io.github.warpweft.Weft)
install(FILES assets/desktop/${app_id}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES assets/desktop/${app_id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
install(FILES assets/icons/${app_id}.svg DESTINATION ${icons}/scalable/apps)
foreach(size IN ITEMS 16 22 24 32 48 64 128 256 512)
    install(FILES assets/icons/${size}.png DESTINATION ${icons}/${size}x${size}/apps
            RENAME ${app_id}.png)
endforeach()
install(FILES assets/completions/weft.bash RENAME weft
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
# Debian's zsh reads packages' completions from a folder of its own, and a package names its licence
# so.
install(CODE "
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
        set(zsh_folder vendor-completions)
        file(INSTALL \"${PROJECT_SOURCE_DIR}/LICENSE\" RENAME copyright
             DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/doc/warpweft\")
    else()
        set(zsh_folder site-functions)
    endif()
    file(INSTALL \"${PROJECT_SOURCE_DIR}/assets/completions/_weft\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}\")")
install(FILES assets/completions/weft.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The test and bench programs are only installed on machines to be checked.
foreach(program IN ITEMS weft-tests weft-bench)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tests
                EXCLUDE_FROM_ALL)
    endif()
endforeach()
if(TARGET weft-peers)
    install(TARGETS weft-peers LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tests
            EXCLUDE_FROM_ALL)
endif()
