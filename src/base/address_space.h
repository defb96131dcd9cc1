// How much memory the process could still get.
#pragma once

#include <cstddef>

namespace starling {

// The process may map so many bytes more, under its limits (RLIMIT_AS, the system's strict accounting). Nothing is
// kept, and no page is touched; memory that was freed but not given back to the system is not counted. Takes
// microseconds. THREADS: any.
bool hasAddressSpace(std::size_t bytes) noexcept;

// After taking `bytes` of memory that it can do without, the process still has room for what the program and the MPI
// library need: vectors of that size among that.
bool leavesAddressSpace(std::size_t bytes) noexcept;

// An allocation of `bytes` succeeds now; nothing is kept. THREADS: any.
bool hasHeap(std::size_t bytes) noexcept;

}  // namespace starling
