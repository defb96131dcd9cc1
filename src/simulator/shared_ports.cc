#include "simulator/shared_ports.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {
namespace {

// Shares that differ by less differ by rounding alone.
constexpr double kSlack = 1e-9;

}  // namespace

SharedPorts::SharedPorts(std::int32_t places) : ports_(2 * static_cast<std::size_t>(places)) {}

SharedPorts::Id SharedPorts::begin(std::int32_t source, std::int32_t target, double seconds, double now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Id>(transfers_.size()));
    transfers_.emplace_back();
  }
  const Id id = unused_.back();
  unused_.pop_back();
  const std::size_t out = 2 * static_cast<std::size_t>(source);
  const std::size_t in = 2 * static_cast<std::size_t>(target) + 1;
  transfers_[id] = {.out = out, .in = in, .left = seconds, .since = now};
  for (const std::size_t port : {out, in}) {
    ports_[port].transfers.push_back(id);
    affect(port);
  }
  return id;
}

void SharedPorts::end(Id id) {
  for (const std::size_t port : {transfers_[id].out, transfers_[id].in}) {
    std::erase(ports_[port].transfers, id);
    affect(port);
  }
  unused_.push_back(id);
}

void SharedPorts::affect(std::size_t port) {
  if (ports_[port].is_affected) return;
  ports_[port].is_affected = true;
  affected_.push_back(port);
}

// A change affects all ports that transfers join, directly or through others, to one that is affected.
void SharedPorts::findAffected() {
  for (std::size_t i = 0; i < affected_.size(); ++i) {
    Port& port = ports_[affected_[i]];
    port.free = 1.0;
    port.open = static_cast<std::int32_t>(port.transfers.size());
    for (const Id id : port.transfers) {
      transfers_[id].is_open = true;
      affect(transfers_[id].out);
      affect(transfers_[id].in);
    }
  }
}

double SharedPorts::leastShare() const {
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t index : affected_) {
    const Port& port = ports_[index];
    if (port.open > 0) least = std::min(least, port.free / port.open);
  }
  return least;
}

void SharedPorts::give(Id id, double share, double now) {
  Transfer& transfer = transfers_[id];
  transfer.is_open = false;
  for (const std::size_t index : {transfer.out, transfer.in}) {
    ports_[index].free -= share;
    --ports_[index].open;
  }
  if (std::abs(share - transfer.rate) <= kSlack * share) return;
  transfer.left = std::max(0.0, transfer.left - (now - transfer.since) * transfer.rate);
  transfer.since = now;
  transfer.rate = share;
  transfer.end = now + transfer.left / share;
  moved_.push_back(id);
}

// The busiest ports are shared first; what their transfers leave of other ports is shared next.
const std::vector<SharedPorts::Id>& SharedPorts::update(double now) {
  moved_.clear();
  findAffected();
  for (double share = leastShare(); std::isfinite(share); share = leastShare()) {
    for (const std::size_t index : affected_) {
      const Port& port = ports_[index];
      if (port.open == 0 || port.free / port.open > share * (1.0 + kSlack)) continue;
      for (const Id id : port.transfers) {
        if (transfers_[id].is_open) give(id, share, now);
      }
    }
  }
  for (const std::size_t index : affected_) ports_[index].is_affected = false;
  affected_.clear();
  return moved_;
}

}  // namespace starling
