#include "mpi/wrapper_table.h"

#include "mpi/execution/creations.h"

namespace starling {
namespace {

class Counted {
 public:
  explicit Counted(int& depth) : depth_(depth) { ++depth_; }
  ~Counted() { --depth_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  int& depth_;
};

void countDuring(int& depth, void (*work)(const void* context), const void* context) {
  const Counted counted(depth);
  work(context);
}

class Held {
 public:
  Held(const void*& place, const void* value) : place_(place), former_(place) { place = value; }
  ~Held() { place_ = former_; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  const void*& place_;
  const void* former_;
};

void setDuring(const void*& place, const void* value, void (*work)(const void* context), const void* context) {
  const Held held(place, value);
  work(context);
}

// Conversions of handles are macros in some MPI libraries, so they are called from functions.
constexpr WrapperTable kTable{
    .start_in_mpi_init = startInMpiInit,
    .allreduce = allreduceFrom,
    .count_during = countDuring,
    .set_during = setDuring,
    .create = Creations::by,
    .note_lasting_creation = Creations::noteLasting,
    .pmpi_allreduce = PMPI_Allreduce,
    .type_from_fortran = [](MPI_Fint type) { return PMPI_Type_f2c(type); },
    .op_from_fortran = [](MPI_Fint op) { return PMPI_Op_f2c(op); },
    .comm_from_fortran = [](MPI_Fint comm) { return PMPI_Comm_f2c(comm); },
    .type_to_fortran = [](MPI_Datatype type) { return PMPI_Type_c2f(type); },
    .op_to_fortran = [](MPI_Op op) { return PMPI_Op_c2f(op); },
    .comm_to_fortran = [](MPI_Comm comm) { return PMPI_Comm_c2f(comm); },
};

}  // namespace
}  // namespace starling

const starling::WrapperTable* starling_wrapper_table(int version) {
  return version == starling::kWrapperTableVersion ? &starling::kTable : nullptr;
}
