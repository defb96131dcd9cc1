/* Starling: a self-tuning MPI_Allreduce. C interface, for C and C++.
 *
 * Conventions
 *  1. tuned_<name> takes the arguments of MPI_<Name>, has its meaning, and returns an MPI error code, raised through
 *     the communicator's error handler as MPI does it.
 *  2. starling_<verb> controls the library and returns a STARLING_ code; starling_error_string() explains it.
 *  3. Nothing here may be called before MPI_Init or after MPI_Finalize, except starling_error_string() and
 *     starling_version().
 *  4. Threads: MPI's rules hold. Under MPI_THREAD_MULTIPLE different threads may use different communicators at the
 *     same time.
 *  5. A fault of the tuning itself (database, options, memory) never fails a call: the MPI library's own function
 *     answers instead, and one warning is written to stderr.
 */
#ifndef STARLING_STARLING_H
#define STARLING_STARLING_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARLING_EXPORT __attribute__((visibility("default")))

enum {
  STARLING_SUCCESS = 0,
  STARLING_ERROR_ARGUMENT = 1, /* a null pointer, a number out of range, an invalid communicator */
  STARLING_ERROR_STATE = 2,    /* MPI is not initialised, or already finalised */
  STARLING_ERROR_DATABASE = 3, /* the tuning database cannot be written; stderr has the reason */
  STARLING_ERROR_MEMORY = 4    /* memory is short on this rank */
};

/* Returns a sentence for any code, also for unknown ones, and never NULL; the string lives forever. Any thread. */
STARLING_EXPORT const char* starling_error_string(int code);

/* Returns "MAJOR.MINOR.PATCH". Any thread. */
STARLING_EXPORT const char* starling_version(void);

/* Does what MPI_Allreduce does, tuned. The site is where this function is called from. */
STARLING_EXPORT int tuned_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                    MPI_Comm comm);

/* Does what tuned_allreduce() does, with a name for the site that survives recompilation. Ranks may pass different
 * labels, as they may call from different lines; the string need not outlive the call. What is learned of a label takes
 * some kilobytes until the communicator is freed: it is to name a place, not a step. Of a label beyond 1,024 bytes
 * their beginning is kept, with a number that tells it from others. */
STARLING_EXPORT int tuned_allreduce_at(const char* label, const void* sendbuf, void* recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Does what MPI_Bcast does, over a binomial tree or, for long messages, a chain, in which ranks that were found to be
 * late come last: after every STARLING_ROOTED_PERIOD calls from one root the ranks exchange how long they waited in
 * their receives, and the longest waiter changes places with the rank that it waited for (after Soga et al. 2007).
 * Periods of calls are also given to MPI_Bcast, which answers where it is faster: the two are compared for each root,
 * short messages apart from long ones, all sizes of either together. As in MPI_Bcast, count and datatype may differ
 * between ranks as long as they describe the same data. These are left to MPI_Bcast: empty messages and those of more
 * than 1 GiB, the first calls on a communicator (STARLING_MINIMUM_CALLS), intercommunicators, roots beyond the first 64
 * of a communicator (128 where each has only short or only long messages), and everything where STARLING_MODE is not
 * tune. Data are moved as bytes, so all ranks need the same representation of numbers. */
STARLING_EXPORT int tuned_bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

/* Does what MPI_Reduce does, over a tree that follows the arrivals: whoever is ready sends to the first rank that will
 * be (Marendic et al. 2012, algorithm 1), or, where the operation does not commute, neighbours merge that are ready
 * first. Arrivals are the mean stamps of STARLING_ROOTED_PERIOD calls to one root; where the ranks' clocks do not
 * compare, nobody counts as late and the tree is balanced. Long vectors travel in segments. Periods of calls are also
 * given to MPI_Reduce, which answers where it is faster, found as in tuned_bcast. In reproducible mode the tree depends
 * on the number of ranks alone. These are left to MPI_Reduce: what tuned_bcast leaves to MPI_Bcast (in reproducible
 * mode not the first calls), the types and operations that tuned_allreduce leaves to MPI_Allreduce, and all calls where
 * a rank has the driver of an accelerator; in reproducible mode vectors have to be the host's. */
STARLING_EXPORT int tuned_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                                 int root, MPI_Comm comm);

/* A handle names a site exactly, without prediction. */
typedef struct starling_site_handle* starling_site;

/* Creates a site, collectively over `comm`: all ranks create the same sites in the same order, with equal labels. The
 * handle must be freed before `comm` is. Where it fails on one rank, for want of memory, no rank may call from this
 * site; other sites are not touched. */
STARLING_EXPORT int starling_site_create(MPI_Comm comm, const char* label, starling_site* site);

/* Does what tuned_allreduce() does over the site's communicator. All ranks pass the same site. NULL has no communicator
 * whose error handler could be told: it returns MPI_ERR_ARG. */
STARLING_EXPORT int tuned_allreduce_site(starling_site site, const void* sendbuf, void* recvbuf, int count,
                                         MPI_Datatype datatype, MPI_Op op);

/* Frees the handle and sets *site to NULL; what is learned of the site stays with the communicator. Local. */
STARLING_EXPORT int starling_site_free(starling_site* site);

/* Announces, in the middle of a computation, when this rank expects to make its next tuned call on `comm`, so that this
 * call can put late ranks last (Proficz 2018, section 3). `fraction` of the computation since this rank's latest tuned
 * call on `comm` is done: above 0, at most 1. All ranks of `comm` announce equally often between the same two tuned
 * calls; of several announcements the last one counts, of more than 8 the eighth. Never waits for another rank, but the
 * next tuned call waits until every rank has announced: so announce early, about halfway. Sends 8 bytes to every other
 * rank of `comm`, or where there are more than 16 ranks to four of them; then the 16 latest ranks are heeded, and all
 * others count as on time. Fraction 0 sends nothing: it says, on all ranks or none, that the computation begins now,
 * where it does not begin at the latest tuned call (at a barrier, say). The call has no effect in a communicator that
 * was not yet worth preparing for tuning, and on calls that the MPI library's own allreduce answers. In reproducible
 * mode, and where the operation does not commute, ranks keep their order and only `direct` heeds who is late. Returns
 * STARLING_ERROR_ARGUMENT for no communicator, or no such fraction. Thread: that of the tuned calls on `comm`. */
STARLING_EXPORT int starling_edge(MPI_Comm comm, double fraction);

/* Opens the tuning database and agrees on the options at once. It is collective over MPI_COMM_WORLD, and optional. The
 * preload library does this in MPI_Init. A program that links the library and never reduces over MPI_COMM_WORLD needs
 * it for its learning to be stored. */
STARLING_EXPORT int starling_init(void);

/* Writes what this process has learned and not yet stored; on the rank that holds the database it waits until that is
 * done, at most ten seconds. It is local, and must not be called while another thread is in a tuned call. */
STARLING_EXPORT int starling_flush(void);

/* Says what is in force for one key (site, size class, type, operation) of a communicator. Calls that are special in a
 * repeating sequence are another key of their site. */
typedef struct {
  int site;            /* agreed number of the site within the communicator; 0: any */
  long long bytes;     /* of the latest call */
  long long calls;     /* since the plan took force; of a key at rest some are not counted */
  int exploring;       /* 1 while candidates are being tried, else 0 */
  int settled;         /* 1 when a choice has been made, else 0 */
  char algorithm[128]; /* as `starling algorithms` names it, with parameters: "slt:segments=64" */
} starling_key_info;

/* Sets *keys to the number of keys of `comm`: 0 before it was worth preparing for tuning. Local. */
STARLING_EXPORT int starling_key_count(MPI_Comm comm, int* keys);

/* Fills *info for key 0 <= index < keys. Local. */
STARLING_EXPORT int starling_query(MPI_Comm comm, int index, starling_key_info* info);

/* Copies the virtual-rank table of a key: table[v] is the rank in position v. `table` has room for the size of the
 * communicator. When the latest call on `comm` was one of this key and followed announcements (starling_edge()), it is
 * that call's table. Local. */
STARLING_EXPORT int starling_query_table(MPI_Comm comm, int index, int* table);

#ifdef __cplusplus
}
#endif

#endif
