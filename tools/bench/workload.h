// The data that are reduced: types, operations, and a reference that no MPI library takes part in.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/units.h"
#include "operands.h"

namespace starling::bench {

// Holds one type together with one operation.
class Workload {
 public:
  virtual ~Workload() = default;

  virtual MPI_Datatype datatype() const = 0;
  // Makes the operation at the first call, which has to come after MPI_Init; the destructor frees it before
  // MPI_Finalize.
  virtual MPI_Op operation() = 0;
  virtual Bytes elementSize() const = 0;
  virtual bool isCommutative() const = 0;

  // Fills in the random data of `rank` in call `call`: `count` elements, such that sums and products of any number of
  // ranks are exact.
  virtual void fill(std::uint64_t seed, std::uint64_t call, std::int32_t rank, std::span<std::byte> data) const = 0;

  // Counts the elements that differ from the reduction of what fill() gives ranks 0 to ranks - 1, in rank order.
  virtual std::int64_t countWrong(std::uint64_t seed, std::uint64_t call, std::int32_t ranks,
                                  std::span<const std::byte> result) const = 0;
};

// `slow_cost` is the time that slow operations take per element.
std::unique_ptr<Workload> makeWorkload(const OperandChoice& choice, Seconds slow_cost);

}  // namespace starling::bench
