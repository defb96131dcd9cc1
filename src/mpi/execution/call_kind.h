// Tells what a call's arguments mean to Starling: signature, names, and how blocks are combined.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <string_view>

#include "mpi/execution/executor.h"
#include "tuner/signature.h"

namespace starling {

struct CallKind {
  Signature signature;
  Reducer reducer;
  bool tunable = false;  // false: passes through (a derived type, or an operation that MPI does not define on the type)
};

// Equal arguments give equal results on all ranks. REQUIRES: count >= 0, datatype and op not null.
CallKind classifyCall(int count, MPI_Datatype datatype, MPI_Op op);

// Returns whether the operation may be meant for groups of elements, as of three doubles or the bytes of a struct. MPI
// wants operations of a program to combine element by element, but its libraries hand them short vectors whole, so that
// programs get away with this until a vector is split.
bool mayCombineGroups(const CallKind& kind);

// Returns whether the code is that of a call of which MPI has looked at the arguments only, and has sent nothing.
bool isRefusal(int code);

// Returns how many times as much memory as data an element of the signature's type takes at most: 2 for pairs with
// gaps, else 1.
std::size_t largestElementGrowth(std::int16_t type);

// Returns the longest signature of a key. Empty: type or operation is none of MPI's own, and may be another one where
// it has the same code.
std::optional<Signature> longestOf(const Key& key);

// Returns the key of calls of any site whose type and operation, which are MPI's own, have these names; empty: there is
// none.
std::optional<Key> ownKeyNamed(std::string_view type, std::string_view operation, std::int32_t size_class);

// These return the names of a signature's type and operation in the database: "float", "derived"; "sum",
// "user_noncommutative", ...
std::string typeName(std::int16_t type);
std::string operationName(std::int16_t operation);

}  // namespace starling
