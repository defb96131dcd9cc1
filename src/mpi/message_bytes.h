// A buffer of any datatype as the bytes of one message.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace starling {

// Bytes of data in `count` elements: equal on all ranks of a call whose type signatures match. Beyond 2^62: that.
// REQUIRES: count >= 0, a datatype.
std::int64_t messageBytes(int count, MPI_Datatype datatype);

// The elements lie in memory as they are sent, without gaps. Only said of predefined types: a derived one whose extent
// is its size may still list its parts in another order than they lie in.
bool isSentAsItLies(MPI_Datatype datatype);

}  // namespace starling
