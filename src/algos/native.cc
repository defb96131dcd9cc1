// This row stands for the MPI library's own allreduce, which has no schedule.
#include "algos/row.h"

namespace starling {

constexpr Algorithm kNativeRow{
    .id = kNativeAlgorithm,
    .name = "native",
    .what = "calls the MPI library's own MPI_Allreduce, and builds no schedule.",
    .trade_off = "the MPI library's own choice: the incumbent, which knows its own transports",
    .parameters = {},
    .keeps_rank_order = true,
    .uses_arrivals = false,
    .build = nullptr,
    .valid_text = "always",
    .cost = "the MPI library's",
    .source = "PMPI_Allreduce",
    .openmpi_nearest = "ignore",
    .openmpi_is_same = true};

}  // namespace starling
