/* Conjugate gradients as benchmarks of supercomputers have them: a stencil of 27 points on a box of edge^3 points per
 * rank, the boxes stacked on each other, and three sums of 8 bytes in each iteration, for which all ranks wait. Plain
 * MPI: Starling is put before it by `starling run`. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* After so many iterations it begins anew. */
enum { ITERATIONS_OF_A_SET = 50 };

/* A box with a shell of one point around it, which belongs to neighbours or is 0. */
typedef struct {
  int edge;
  size_t row;   /* points from one to the next in y */
  size_t layer; /* in z */
  size_t size;
  int below; /* ranks, or MPI_PROC_NULL */
  int above;
} Box;

static Box make_box(int edge, int rank, int ranks) {
  Box box;
  box.edge = edge;
  box.row = (size_t)edge + 2;
  box.layer = box.row * box.row;
  box.size = box.layer * box.row;
  box.below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  box.above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  return box;
}

static double* make_vector(const Box* box) {
  double* vector = calloc(box->size, sizeof(double));
  if (vector == NULL) {
    fprintf(stderr, "conjugate_gradient: memory is short for an edge of %d\n", box->edge);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return vector;
}

#define FOR_EACH_POINT(box, i)                                                                                 \
  for (int z_ = 1; z_ <= (box)->edge; ++z_)                                                                    \
    for (int y_ = 1; y_ <= (box)->edge; ++y_)                                                                  \
      for (size_t i = (size_t)z_ * (box)->layer + (size_t)y_ * (box)->row + 1, end_ = i + (size_t)(box)->edge; \
           i < end_; ++i)

static double dot(const Box* box, const double* a, const double* b) {
  double mine = 0.0;
  double sum = 0.0;
  FOR_EACH_POINT(box, i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/* a = b + factor c */
static void add(const Box* box, double* a, const double* b, double factor, const double* c) {
  FOR_EACH_POINT(box, i) a[i] = b[i] + factor * c[i];
}

/* Fetches the layers of the shell that the neighbours below and above have. */
static void exchange(const Box* box, double* vector) {
  const int points = (int)box->layer;
  double* const first = vector + box->layer;
  double* const last = vector + (size_t)box->edge * box->layer;
  MPI_Sendrecv(first, points, MPI_DOUBLE, box->below, 0, last + box->layer, points, MPI_DOUBLE, box->above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(last, points, MPI_DOUBLE, box->above, 1, vector, points, MPI_DOUBLE, box->below, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

/* The matrix has 26 in its diagonal and -1 for each of the 26 neighbours. */
static void multiply(const Box* box, double* result, double* vector) {
  exchange(box, vector);
  FOR_EACH_POINT(box, i) {
    double neighbours = 0.0;
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        const double* const middle = vector + i + z * (ptrdiff_t)box->layer + y * (ptrdiff_t)box->row;
        neighbours += middle[-1] + middle[0] + middle[1];
      }
    }
    result[i] = 27.0 * vector[i] - neighbours;
  }
}

/* r = the matrix times what x lacks: what is solved for is 1 everywhere. */
static void find_residual(const Box* box, double* r, const double* x, double* lacking) {
  FOR_EACH_POINT(box, i) lacking[i] = 1.0 - x[i];
  multiply(box, r, lacking);
}

/* Iterates on vectors of memory that is given. Returns by how much the residual that comes of the iterations differs at
 * most from the one that x has: sums that differ between ranks set them apart. Infinite: it has not become less. */
static double solve(const Box* box, int iterations, double* x, double* r, double* p, double* product) {
  memset(x, 0, box->size * sizeof(double));
  find_residual(box, r, x, p);
  add(box, p, r, 0.0, x);
  const double first = sqrt(dot(box, r, r));
  double residual = first;
  double square = first * first;
  for (int iteration = 0; iteration < iterations && residual > 1e-14 * first; ++iteration) {
    multiply(box, product, p);
    const double step = square / dot(box, p, product);
    add(box, x, x, step, p);
    add(box, r, r, -step, product);
    const double before = square;
    square = dot(box, r, r); /* with a preconditioner it would be another sum than the next */
    residual = sqrt(dot(box, r, r));
    add(box, p, r, square / before, p);
  }
  find_residual(box, product, x, p);
  double furthest = 0.0;
  FOR_EACH_POINT(box, i) {
    const double off = fabs(product[i] - r[i]);
    if (!(off <= furthest)) furthest = off; /* also where it is no number */
  }
  /* What is left of it tells whether the steps were those of the method. */
  return residual < first ? furthest : INFINITY;
}

/* Returns the number, or 0 where it is none that is allowed. */
static int number(const char* text, int most) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  return end != text && *end == '\0' && value >= 1 && value <= most ? (int)value : 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int edge = argc > 1 ? number(argv[1], 512) : 16;
  const int sets = argc > 2 ? number(argv[2], 1000000) : 200;
  if (argc > 3 || edge == 0 || sets == 0) {
    if (rank == 0) {
      fprintf(stderr,
              "usage: conjugate_gradient [EDGE [SETS]]: points along a rank's box, 1 to 512 (default 16); sets of %d "
              "iterations, 1 to 1000000 (default 200)\n",
              ITERATIONS_OF_A_SET);
    }
    MPI_Finalize();
    return 2;
  }
  const Box box = make_box(edge, rank, ranks);
  double* vectors[4];
  for (int i = 0; i < 4; ++i) vectors[i] = make_vector(&box);
  double furthest = 0.0;
  const double start = MPI_Wtime();
  for (int set = 0; set < sets; ++set) {
    const double off = solve(&box, ITERATIONS_OF_A_SET, vectors[0], vectors[1], vectors[2], vectors[3]);
    if (!(off <= furthest)) furthest = off;
  }
  FOR_EACH_POINT(&box, i) vectors[0][i] = 1.0;
  const double points = (double)edge * edge * edge * ranks;
  if (dot(&box, vectors[0], vectors[0]) != points) furthest = INFINITY;
  const double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &furthest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) free(vectors[i]);
  if (rank == 0)
    printf("%d ranks, edge %d: %.3f s, residuals are off by %.1e at most\n", ranks, edge, seconds, furthest);
  MPI_Finalize();
  return furthest < 1e-9 ? 0 : 1;
}
