// Carries the precompiled headers of the unit tests (CMakeLists.txt beside it).
