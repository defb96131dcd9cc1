// A C++ program whose error handler of MPI throws, and goes on afterwards, as it may where MPI only refused a call.
// preload_exceptions_test runs it with the preload library in the way, and the same program linked with Starling.
#include <mpi.h>

#include <cstdio>
#include <new>
#include <stdexcept>

#ifdef PRELOAD_THROWING_IS_LINKED
#include <starling/starling.h>
#define MPI_Allreduce tuned_allreduce
#endif

namespace {

constexpr int kCalls = 300;
constexpr int kCallsBetweenRefusals = 30;
constexpr int kCount = 100;

struct Refused : std::runtime_error {
  Refused() : std::runtime_error("MPI refused a call") {}
};
struct Odd {};  // of no standard class

int g_told = 0;

void throwInTurn(MPI_Comm*, int*, ...) {
  switch (++g_told % 3) {
    case 0:
      throw Refused();
    case 1:
      throw std::bad_alloc();
    default:
      throw Odd();
  }
}

// Returns whether a call leaves by what the handler has thrown, which was called once.
template <typename Call>
bool throwsOnce(const Call& call) {
  const int before = g_told;
  int thrown = -1;
  try {
    call();
  } catch (const Refused&) {
    thrown = 0;
  } catch (const std::bad_alloc&) {
    thrown = 1;
  } catch (const Odd&) {
    thrown = 2;
  }
  return g_told == before + 1 && thrown == g_told % 3;
}

// Makes calls that MPI refuses, and that no other rank makes; returns how many do not throw as they should.
int refusals(MPI_Datatype uncommitted, MPI_Op own_op) {
  double in[2 * kCount] = {};
  double out[2 * kCount] = {};
  const auto refuses = [&](const void* from, void* to, int count, MPI_Datatype type, MPI_Op op) {
    return throwsOnce([&] { MPI_Allreduce(from, to, count, type, op, MPI_COMM_WORLD); });
  };
  int wrong = 0;
  wrong += refuses(in, out, kCount, MPI_DOUBLE, MPI_BAND) ? 0 : 1;
  wrong += refuses(in, out, 0, MPI_DOUBLE, MPI_BAND) ? 0 : 1;
  wrong += refuses(in, out, kCount, MPI_DOUBLE, MPI_OP_NULL) ? 0 : 1;
  wrong += refuses(in, out, kCount, MPI_DATATYPE_NULL, MPI_SUM) ? 0 : 1;
  wrong += refuses(in, out, 2, uncommitted, own_op) ? 0 : 1;
  wrong += refuses(in, out, -1, MPI_DOUBLE, MPI_SUM) ? 0 : 1;
  wrong += refuses(in, MPI_IN_PLACE, kCount, MPI_DOUBLE, MPI_SUM) ? 0 : 1;
  return wrong;
}

void add(void* left, void* right, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<double*>(right)[i] += static_cast<const double*>(left)[i];
}

// Makes a call with all ranks; returns how many sums are wrong.
int wrongSums(int rank, int ranks) {
  double in[kCount];
  double out[kCount];
  for (int i = 0; i < kCount; ++i) {
    in[i] = rank + i;
    out[i] = -1.0;
  }
  MPI_Allreduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    const int expected = ranks * (ranks - 1) / 2 + ranks * i;
    wrong += out[i] == expected ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(throwInTurn, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &uncommitted);
  MPI_Op own_op = MPI_OP_NULL;
  MPI_Op_create(add, 1, &own_op);
  int wrong_refusals = 0;
  int wrong_sums = 0;
  for (int call = 0; call < kCalls; ++call) {
    if (call % kCallsBetweenRefusals == 0 && rank == ranks - 1) wrong_refusals += refusals(uncommitted, own_op);
    wrong_sums += wrongSums(rank, ranks);
  }
  MPI_Op_free(&own_op);
  MPI_Type_free(&uncommitted);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  if (wrong_refusals + wrong_sums == 0) return 0;
  std::fprintf(stderr, "preload_throwing: %d wrong refusals, %d wrong sums\n", wrong_refusals, wrong_sums);
  return 1;
}
