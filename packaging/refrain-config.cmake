include(${CMAKE_CURRENT_LIST_DIR}/refrain-targets.cmake)
