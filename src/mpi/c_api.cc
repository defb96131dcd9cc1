// Implements the C interface, starling.h.
#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "algos/catalogue.h"
#include "mpi/entry.h"
#include "mpi/execution/call_kind.h"
#include "mpi/runtime.h"
#include "mpi/wrapper_table.h"
#include "starling/starling.h"

struct starling_site_handle {
  MPI_Comm communicator;
  starling::SiteId site;
};

namespace starling {

namespace {

int makeCall(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
             const CallOrigin& origin) {
  // Ranks need not wait for each other to combine nothing, and it is the same nothing on all of them.
  if (count == 0) return origin.callNative(sendbuf, recvbuf, count, datatype, op, comm);
  const bool is_valid = count >= 0 && datatype != MPI_DATATYPE_NULL && op != MPI_OP_NULL && recvbuf != MPI_IN_PLACE;
  const auto native = [&] { return origin.callNative(sendbuf, recvbuf, count, datatype, op, comm); };
  Attachment* const attached =
      attachmentOfCall(is_valid, comm, [&] { return isAllreduceRefused(sendbuf, recvbuf, count, datatype, op); });
  if (attached == nullptr || isOneBufferRefused(sendbuf, recvbuf, count)) return native();
  if (attached->early) return called(comm, [&] { return Runtime::get().callEarly(comm, *attached, native); });
  if (attached->absent) {
    attached->absent->beforeCall(comm, classifyCall(count, datatype, op).tunable, Runtime::get().options());
    const int code = native();
    attached->absent->afterCall(comm, code);
    return code;
  }
  Session* const session = attached->session.get();
  if (session == nullptr) return native();
  const int code = called(comm, [&] {
    if (const RestingCall* const resting = session->restingCall(count, datatype, op)) {
      return session->allreduceAtRest(*resting, sendbuf, recvbuf, count, datatype, op, origin);
    }
    return session->allreduce(sendbuf, recvbuf, count, datatype, op, origin);
  });
  Runtime::get().afterCall(*session);
  return code;
}

int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              CallOrigin origin) {
  std::exception_ptr thrown;
  origin.thrown = &thrown;
  const int code = makeCall(sendbuf, recvbuf, count, datatype, op, comm, origin);
  if (thrown) std::rethrow_exception(thrown);
  return code;
}

// Returns the communicator's session, if it has that key; else null.
const Session* sessionWithKey(MPI_Comm comm, int index) {
  const Session* session = Runtime::get().findSession(comm);
  return session != nullptr && index >= 0 && index < session->keys().size() ? session : nullptr;
}

}  // namespace

int allreduceFrom(const void* return_address, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm, NativeAllreduce native) {
  CallOrigin origin;
  origin.return_address = reinterpret_cast<std::uint64_t>(return_address);
  origin.native = native;
  return allreduce(sendbuf, recvbuf, count, datatype, op, comm, origin);
}

void startInMpiInit() {
  static_cast<void>(controlled([] {
    if (Runtime::get().isUsable()) Runtime::get().start(true);
    return static_cast<int>(STARLING_SUCCESS);
  }));
}

}  // namespace starling

using starling::CallOrigin;
using starling::Runtime;

extern "C" {

const char* starling_error_string(int code) {
  switch (code) {
    case STARLING_SUCCESS:
      return "success";
    case STARLING_ERROR_ARGUMENT:
      return "an argument is a null pointer, out of range, or an invalid communicator";
    case STARLING_ERROR_STATE:
      return "MPI is not initialised, or already finalised";
    case STARLING_ERROR_MEMORY:
      return "memory is short on this rank";
    case STARLING_ERROR_DATABASE:
      return "the tuning database cannot be written; a message on stderr says why";
    default:
      return "not an error code of Starling";
  }
}

const char* starling_version(void) { return STARLING_VERSION; }

int tuned_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  CallOrigin origin;
  origin.return_address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  return starling::allreduce(sendbuf, recvbuf, count, datatype, op, comm, origin);
}

int tuned_allreduce_at(const char* label, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm) {
  CallOrigin origin;
  origin.return_address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  origin.label = label;
  return starling::allreduce(sendbuf, recvbuf, count, datatype, op, comm, origin);
}

int starling_site_create(MPI_Comm comm, const char* label, starling_site* site) {
  return starling::controlled([&] {
    if (label == nullptr || site == nullptr || comm == MPI_COMM_NULL) return STARLING_ERROR_ARGUMENT;
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    starling::Session* session = Runtime::get().session(comm);
    // Its number counts on every rank, also where there is no memory for the handle.
    const starling::SiteId number = session != nullptr ? session->createSite(label) : starling::kAnySite;
    *site = new starling_site_handle{comm, number};
    return STARLING_SUCCESS;
  });
}

int tuned_allreduce_site(starling_site site, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                         MPI_Op op) {
  if (site == nullptr) return MPI_ERR_ARG;
  CallOrigin origin;
  origin.return_address = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  origin.handle = site->site;
  return starling::allreduce(sendbuf, recvbuf, count, datatype, op, site->communicator, origin);
}

int starling_site_free(starling_site* site) {
  if (site == nullptr) return STARLING_ERROR_ARGUMENT;
  delete *site;
  *site = nullptr;
  return STARLING_SUCCESS;
}

int starling_edge(MPI_Comm comm, double fraction) {
  return starling::controlled([&] {
    // The comparison is written so that what is no number is refused, too.
    if (comm == MPI_COMM_NULL || !(fraction >= 0.0 && fraction <= 1.0)) return STARLING_ERROR_ARGUMENT;
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    if (starling::Session* session = Runtime::get().findSession(comm)) session->announce(fraction);
    return STARLING_SUCCESS;
  });
}

int starling_init(void) {
  return starling::controlled([&] {
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    Runtime::get().start();
    return STARLING_SUCCESS;
  });
}

int starling_flush(void) {
  return starling::controlled([&] {
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    return Runtime::get().flush() ? STARLING_SUCCESS : STARLING_ERROR_DATABASE;
  });
}

int starling_key_count(MPI_Comm comm, int* keys) {
  return starling::controlled([&] {
    if (keys == nullptr || comm == MPI_COMM_NULL) return STARLING_ERROR_ARGUMENT;
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    const starling::Session* session = Runtime::get().findSession(comm);
    *keys = session != nullptr ? session->keys().size() : 0;
    return STARLING_SUCCESS;
  });
}

int starling_query(MPI_Comm comm, int index, starling_key_info* info) {
  return starling::controlled([&] {
    if (info == nullptr || comm == MPI_COMM_NULL) return STARLING_ERROR_ARGUMENT;
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    const starling::Session* session = starling::sessionWithKey(comm, index);
    if (session == nullptr) return STARLING_ERROR_ARGUMENT;
    const starling::KeyTable::Entry& entry = session->keys().entry(index);
    const starling::PlannedChoice planned = session->keys().next(entry.key).planned;
    *info = {};
    info->site = entry.key.site;
    info->bytes = entry.signature.bytes();
    info->calls = entry.calls_since_plan;
    info->exploring = entry.plan.state == starling::KeyState::kExploring ? 1 : 0;
    info->settled = entry.plan.state == starling::KeyState::kSettled ? 1 : 0;
    const std::string algorithm = starling::formatChoice(planned.choice);
    std::strncpy(info->algorithm, algorithm.c_str(), sizeof(info->algorithm) - 1);
    return STARLING_SUCCESS;
  });
}

int starling_query_table(MPI_Comm comm, int index, int* table) {
  return starling::controlled([&] {
    if (table == nullptr || comm == MPI_COMM_NULL) return STARLING_ERROR_ARGUMENT;
    if (!Runtime::get().isUsable()) return STARLING_ERROR_STATE;
    const starling::Session* session = starling::sessionWithKey(comm, index);
    if (session == nullptr) return STARLING_ERROR_ARGUMENT;
    const std::span<const std::int32_t> in_force = session->tableOf(index);
    if (!in_force.empty()) {
      std::copy(in_force.begin(), in_force.end(), table);
    } else {
      std::iota(table, table + session->ranks(), 0);
    }
    return STARLING_SUCCESS;
  });
}

}  // extern "C"
