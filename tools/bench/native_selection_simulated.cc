// SimGrid SMPI holds the decision tables of other MPI libraries, and the algorithms between which these decide.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "native_selection.h"

namespace simgrid::smpi::colls {
// libsimgrid exports these functions but declares them in no public header; they do what --cfg=smpi/allreduce and the
// like set. What is set holds for all ranks, which are of one process: so each sets it right before its call.
void set_allreduce(const std::string& name);
void set_bcast(const std::string& name);
void set_reduce(const std::string& name);
}  // namespace simgrid::smpi::colls

namespace starling::bench {
namespace {

// The simulator's own default is a naive algorithm of no library.
constexpr const char* kDefaultSelector = "ompi";

struct Selection {
  void (*select)(const std::string& name);
  const char* usual;                    // as tools/lab/simulate sets it at the start
  std::vector<std::string_view> names;  // libraries, which decide by the call, and then algorithms
};

const Selection& selectionOf(Collective collective) {
  namespace colls = simgrid::smpi::colls;
  static const std::array<Selection, 3> selections{
      Selection{colls::set_allreduce, "rdb", {"ompi", "mpich", "mvapich2", "impi"}},
      Selection{colls::set_bcast,
                "ompi",
                {"ompi", "mpich", "mvapich2", "impi", "binomial_tree", "ompi_split_bintree", "ompi_pipeline",
                 "scatter_rdb_allgather", "scatter_LR_allgather"}},
      Selection{colls::set_reduce,
                "ompi",
                {"ompi", "mpich", "mvapich2", "impi", "binomial", "ompi_binary", "ompi_pipeline", "scatter_gather"}}};
  return selections[static_cast<std::size_t>(collective)];
}

}  // namespace

Status checkNative(Collective collective, const std::string& name) {
  const std::vector<std::string_view>& names = selectionOf(collective).names;
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return Status::ok();
  std::string known;
  for (const std::string_view one : names) known += fmt::format("{}native:{}", known.empty() ? "" : ", ", one);
  return Status::error(
      fmt::format("there is no native:{} of {} here: use one of {}", name, collectiveName(collective), known));
}

void selectNative(Collective collective, const std::string& name) {
  selectionOf(collective).select(name.empty() ? kDefaultSelector : name);
}

void selectUsual(Collective collective) {
  const Selection& selection = selectionOf(collective);
  selection.select(selection.usual);
}

}  // namespace starling::bench
