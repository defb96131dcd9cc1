// Waits for all ranks of a communicator to come to their first agreement, and says who does not.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "base/clock.h"

namespace starling {

// Tells how long ranks are waited for without a word, and whether they may be asked who is there.
struct RollCall {
  Seconds patience;  // 0: forever
  // Messages to find out who is missing may go over the communicator: no code of the program's can have posted a
  // receive on it. Without it, this rank does not find out who is missing. It may differ from rank to rank.
  bool may_ask = false;
  std::string place;  // where ranks are waited for, as in "MPI_Init"
  // These ranks of the communicator are likelier than others to lack Starling; they are named where nobody may be
  // asked.
  std::vector<int> suspects;
};

// Collective: returns when all ranks have called it. After `patience` one message says which ranks have not answered,
// and what the likely cause is; it goes on waiting. Returns an MPI error code. THREADS: those that MPI allows.
int awaitAllRanks(MPI_Comm communicator, const RollCall& call, const Clock& clock);

// Writes rising numbers as "3, 5-7".
std::string formatRanks(const std::vector<int>& ranks);

}  // namespace starling
