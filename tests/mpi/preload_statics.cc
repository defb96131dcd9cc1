// A C++ program that reduces, and ends MPI, where its static objects are destroyed. preload_exceptions_test runs it
// with the preload library in the way.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kCalls = 300;

void reduce(int calls) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int call = 0; call < calls; ++call) {
    const double one = 1.0;
    double sum = 0.0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum == ranks) continue;
    std::fprintf(stderr, "call %d: the sum is %g, not %d\n", call, sum, ranks);
    std::_Exit(1);
  }
}

// It is made before MPI, and whatever else the program uses, so that it is destroyed after what those have.
struct World {
  ~World() {
    reduce(kCalls);
    MPI_Finalize();
  }
};

const World kWorld;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  reduce(kCalls);
  return 0;
}
