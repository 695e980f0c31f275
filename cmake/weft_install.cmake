# cmake --install: the program, its presets and its papers. Paths below the prefix are relative to
# bin/weft, so that the tree can be moved (./dev package does).
if(TARGET weft)
    install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET weft-gui)
    install(TARGETS weft-gui LIBRARY DESTINATION lib/warpweft)
endif()
install(DIRECTORY assets/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/warpweft/presets
        FILES_MATCHING PATTERN "*.toml")
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/warpweft)

# The test and bench programs travel only to machines that are to be checked.
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
