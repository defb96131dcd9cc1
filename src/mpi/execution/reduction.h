// Combines two vectors element by element: kernels for MPI's predefined types and operations.
#pragma once

#include <cstdint>

#include "mpi/execution/datatypes.h"

namespace starling {

// A kernel sets out[i] = left[i] op right[i] for i in [0, count). `out` may be `left` or `right` itself; otherwise it
// may not overlap them. All three are aligned for the element. Gaps between the members of pairs are left as they are
// in `out`. THREADS: any.
//
// Results are a function of the operands and their order alone, on every processor, so ranks that combine the same
// operands in the same order have the same bits:
// - integer sums and products wrap, in two's complement;
// - maximum is (left > right ? left : right), minimum is (left < right ? left : right): where one operand is NaN, and
//   for zeros of different sign, the result is the right one;
// - complex products are (ac - bd) + (ad + bc)i, each product rounded (never fused), and without C99's recovery of
//   infinities;
// - logical results are 1 or 0, any non-zero operand is true;
// - maxloc and minloc give the pair with the better value, of equal values the lower index (MPI 4.1, 6.9.4); where one
//   value is NaN, the right pair.
using ReductionKernel = void (*)(const void* left, const void* right, void* out, std::int64_t count);

// Returns null where MPI does not define the operation on the type, and for kUser. Where MPI's tables tell names of one
// representation apart (no logical operations on MPI_INTEGER), the kernel is there for all of them.
ReductionKernel reductionKernel(ElementType type, Operation operation);

}  // namespace starling
