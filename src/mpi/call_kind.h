// What a call's arguments mean to Starling: signature, names, and how blocks are combined.
#pragma once

#include <mpi.h>

#include <string>

#include "mpi/executor.h"
#include "tuner/signature.h"

namespace starling {

struct CallKind {
  Signature signature;
  Reducer reducer;
  bool tunable = false;  // false: passes through (a derived type, or an operation that MPI does not define on the type)
};

// REQUIRES: count >= 0, datatype and op not null. Equal arguments give equal results on all ranks.
CallKind classifyCall(int count, MPI_Datatype datatype, MPI_Op op);

// How much more memory than data an element of the signature's type takes at most: 2 for pairs with gaps, else 1.
std::size_t largestElementGrowth(std::int16_t type);

// Names of a signature's type and operation in the database: "float", "derived"; "sum", "user_noncommutative", ...
std::string typeName(std::int16_t type);
std::string operationName(std::int16_t operation);

}  // namespace starling
