// To Starling, MPI's predefined datatypes and operations are representations to be combined.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/signature_names.h"

namespace starling {

// Returns nothing for derived types and for predefined ones that cannot be reduced (MPI_WCHAR, MPI_PACKED) or whose
// representation is none of the above (MPI_REAL16, MPI_LOGICAL8). MPI_CHAR, for which MPI defines no operation, is what
// the MPI library takes it for.
// REQUIRES: the first call comes between MPI_Init and MPI_Finalize. THREADS: any. It takes tens of nanoseconds.
std::optional<ElementType> elementType(MPI_Datatype datatype);

// Returns nothing for MPI_OP_NULL, MPI_REPLACE and MPI_NO_OP.
// THREADS: any. It needs no MPI_Init.
std::optional<Operation> operation(MPI_Op op);

// Returns the bytes of data in one element, as MPI_Type_size does: a kDoubleInt has 12.
std::int64_t elementSize(ElementType type);
// Returns the bytes from one element to the next in memory, as the extent of MPI_Type_get_extent: a kDoubleInt has 16.
std::int64_t elementExtent(ElementType type);

// Returns whether both are MPI's own, so that no program frees their handles.
bool arePredefined(MPI_Datatype datatype, MPI_Op op);

}  // namespace starling
