#pragma once

namespace starling {

// Counts the allreduces that this thread has handed on to the next function and that have not come back yet. What
// calls an allreduce meanwhile is a tool or the MPI library, never the program, and Starling stays out of it, which all
// ranks find alike because they hand on the same calls.
//
// Two such calls are common. Fortran wrappers of tools count nothing and call C's MPI_Allreduce, which comes to
// Starling first and belongs to that tool: depth 1 goes on to the next function. And tools allreduce something of their
// own; that this ends is their business, but a tool that relies on being first would come back to itself through
// Starling forever: depth 2 goes to the MPI library at once. THREADS: each thread has its own depth.
class HandedOn {
 public:
  // Hands one on by `call` (), which comes back also by an exception: an error handler of the program's may throw.
  // REQUIRES: loadedStarling().
  template <typename Call>
  static void by(const Call& call) {
    count([](const void* context) { (*static_cast<const Call*>(context))(); }, &call);
  }

  static int depth() { return g_depth; }

 private:
  static void count(void (*work)(const void* context), const void* context);

  // The library is there from the start of the process, so that its variables need not be looked for.
  [[gnu::tls_model("initial-exec")]] static thread_local constinit int g_depth;
};

}  // namespace starling
