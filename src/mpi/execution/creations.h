// Knows whether the program is creating communicators, or what needs some, while others of its calls go on.
#pragma once

namespace starling {

// Ranks that create communicators agree on numbers for them, and MPI libraries let the oldest communicator go first on
// each rank. So where one thread of a rank has begun to create something that other ranks begin after their next
// reduction, a communicator that is created within that reduction waits for them, and they for it. The preload library
// tells of the program's creations. One that another thread begins after the ranks have asked each other, while a
// communicator is prepared, is not known in time. THREADS: any.
class Creations {
 public:
  // Creates something by `work` (`context`), which counts as under way until it returns or throws.
  static void by(void (*work)(const void* context), const void* context);
  // Notes one that may be complete at any time later, as MPI_Comm_idup() begins one: it counts from now on.
  static void noteLasting();
  // Returns whether one is under way on this rank, as far as is known. Where that is a lasting one this is told once,
  // since the ranks are about to refuse tuning for it.
  static bool areUnderWay();
};

}  // namespace starling
