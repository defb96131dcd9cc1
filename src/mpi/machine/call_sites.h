// Knows where the calls of one communicator come from, as this rank sees it, and what such a place is called.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/execution/native_call.h"
#include "store/records.h"
#include "tuner/site_tracker.h"

namespace starling {

// Tells where a call comes from, as this rank sees it, and where it goes if Starling does not take it.
struct CallOrigin {
  std::uint64_t return_address = 0;
  const char* label = nullptr;  // set: takes the place of the address
  SiteId handle = kAnySite;     // set: exact, known to all ranks
  NativeAllreduce native = PMPI_Allreduce;
  std::exception_ptr* thrown = nullptr;  // set: what the program's code throws in the native call is kept there

  // Leaves the call to the MPI library.
  int callNative(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm communicator) const {
    if (thrown == nullptr) return native(sendbuf, recvbuf, count, datatype, op, communicator);
    return starling::callNative(native, *thrown, sendbuf, recvbuf, count, datatype, op, communicator);
  }
};

// THREADS: not thread-safe; one per communicator.
class CallSites {
 public:
  // With `keeps_labels` labels are kept, because describe() will be called.
  explicit CallSites(bool keeps_labels) : keeps_labels_(keeps_labels) {}

  // Returns this rank's own name for the place; 0 for a handle, which needs none. A label that memory is too short for
  // is not kept.
  LocalSite localSite(const CallOrigin& origin);

  // Returns the next site handle. All ranks create the same ones in the same order, whatever memory a rank has for
  // labels.
  SiteId create(const char* label);

  // Returns the record of a site: that of a handle's label, else that of the place that this rank calls `local`; 0 is a
  // site that is known by its signature alone.
  SiteRecord describe(SiteId site, LocalSite local) const;

 private:
  bool keeps_labels_;
  std::unordered_map<LocalSite, std::string> labels_;
  SiteId next_handle_ = kFirstHandleSite;
  std::unordered_map<SiteId, std::string> handle_labels_;
};

}  // namespace starling
