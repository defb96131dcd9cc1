# Flags of every target of the project: warnings are errors, sanitizers on request and fatal at the first finding.
add_library(starling_flags INTERFACE)
target_compile_options(starling_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
                                                $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                                                $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual> -Werror)
# The C++ bindings that mpi.h of older MPI libraries pulls in are not used.
target_compile_definitions(starling_flags INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
if(STARLING_SANITIZE)
  # Eigen's code for vector units takes half of the time to compile of what uses it.
  target_compile_definitions(starling_flags INTERFACE STARLING_SANITIZED EIGEN_DONT_VECTORIZE)
  # GCC takes its own checks for uses of uninitialised memory.
  target_compile_options(starling_flags INTERFACE -fsanitize=${STARLING_SANITIZE} -fno-sanitize-recover=all
                                                  -fno-omit-frame-pointer
                                                  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # What leaves an object is found by its address.
  target_compile_options(starling_flags INTERFACE -fno-sanitize=object-size)
  # These two take a quarter of the time to compile; tools and tests, which handle few pointers, do without.
  target_compile_options(starling_flags INTERFACE
                         $<$<NOT:$<BOOL:$<TARGET_PROPERTY:STARLING_IS_LAYER>>>:-fno-sanitize=null,alignment>)
  target_link_options(starling_flags INTERFACE -fsanitize=${STARLING_SANITIZE})
endif()
