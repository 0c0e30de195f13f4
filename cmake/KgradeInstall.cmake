# `cmake --install build/release --prefix DIR`: DIR/bin/kgrade works from any folder, without the checkout, and DIR can
# be moved. Layout::find knows these places relative to the program.
set(libexec libexec/kgrade)
set(share share/kgrade)

install(TARGETS kgrade DESTINATION bin)
foreach(target kgrade-sandbox kgrade-zygote kgrade-worker-cuda kgrade-python-cuda kgrade-rewrite kgrade-worker-emulated
        kgrade-python-emulated kgrade-front)
  if(TARGET ${target})
    install(TARGETS ${target} DESTINATION ${libexec})
  endif()
endforeach()
# The shared libraries that machines without the packages of the distribution lack. `cmake --install DIR --component bundle`
# adds them to an installation, as tools/wheel.sh does. KGRADE_BUNDLE makes them a part of every installation.
set(only_when_named EXCLUDE_FROM_ALL)
if(KGRADE_BUNDLE)
  set(only_when_named "")
endif()
foreach(library fmt::fmt ${KGRADE_YAML})
  get_target_property(type ${library} TYPE)
  if(type STREQUAL SHARED_LIBRARY)
    install(IMPORTED_RUNTIME_ARTIFACTS ${library} LIBRARY DESTINATION ${libexec} COMPONENT bundle ${only_when_named})
  endif()
endforeach()
install(DIRECTORY harness/python DESTINATION ${share} PATTERN __pycache__ EXCLUDE)

install(DIRECTORY problems reference solutions DESTINATION ${share})
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/kgrade/emulated DESTINATION ${share} OPTIONAL)
file(GLOB schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/results/*.schema.json)
install(FILES ${schemas} DESTINATION ${share}/schema)
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md CONTRIBUTING.md DESTINATION share/doc/kgrade)
install(DIRECTORY docs DESTINATION share/doc/kgrade)

# The target kgrade_manual makes it.
install(FILES ${PROJECT_BINARY_DIR}/share/bash-completion/completions/kgrade DESTINATION share/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/share/zsh/site-functions/_kgrade DESTINATION share/zsh/site-functions)
install(FILES ${PROJECT_BINARY_DIR}/share/fish/vendor_completions.d/kgrade.fish DESTINATION share/fish/vendor_completions.d)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man DESTINATION share)
# pip puts this into `share/man` beside the folder of the program `kgrade`, where `man` looks. SKBUILD_DATA_DIR is the
# wheel's own folder for such files.
if(SKBUILD)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/man DESTINATION ${SKBUILD_DATA_DIR}/share)
endif()
