// Treats a buffer of any datatype as the bytes of one message.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling {

// Returns how many bytes of data `count` elements have, at most 2^62. This is equal on all ranks of a call whose type
// signatures match. REQUIRES: count >= 0, a valid datatype.
std::int64_t messageBytes(int count, MPI_Datatype datatype);

// Returns whether the elements lie in memory as they are sent, without gaps. This is known of predefined types
// only: a derived type whose extent is its size may still list its parts in another order than they lie in.
bool isSentAsItLies(MPI_Datatype datatype);

}  // namespace starling
