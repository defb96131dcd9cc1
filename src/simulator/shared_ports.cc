#include "simulator/shared_ports.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starling {
namespace {

// Shares that differ by less differ by rounding alone.
constexpr double kSlack = 1e-9;

}  // namespace

SharedPorts::SharedPorts(std::int32_t places, std::pmr::memory_resource* memory)
    : ports_(2 * static_cast<std::size_t>(places), memory),
      transfers_(memory),
      unused_(memory),
      affected_(memory),
      moved_(memory) {}

SharedPorts::Id SharedPorts::begin(std::int32_t source, std::int32_t target, double seconds, double now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<Id>(transfers_.size()));
    transfers_.emplace_back();
  }
  const Id id = unused_.back();
  unused_.pop_back();
  const std::size_t out = 2 * static_cast<std::size_t>(source);
  const std::size_t in = 2 * static_cast<std::size_t>(target) + 1;
  transfers_[id] = Transfer{.ports = {out, in}, .left = seconds, .since = now};
  for (const Side side : {kOut, kIn}) add(id, side);
  return id;
}

void SharedPorts::end(Id id) {
  for (const Side side : {kOut, kIn}) remove(id, side);
  unused_.push_back(id);
}

void SharedPorts::add(Id id, Side side) {
  Port& port = ports_[transfers_[id].ports[side]];
  transfers_[id].links[side] = {.before = port.last, .after = kNone};
  (port.last == kNone ? port.first : transfers_[port.last].links[side].after) = id;
  port.last = id;
  ++port.transfers;
  affect(transfers_[id].ports[side]);
}

void SharedPorts::remove(Id id, Side side) {
  Port& port = ports_[transfers_[id].ports[side]];
  const auto [before, after] = transfers_[id].links[side];
  (before == kNone ? port.first : transfers_[before].links[side].after) = after;
  (after == kNone ? port.last : transfers_[after].links[side].before) = before;
  --port.transfers;
  affect(transfers_[id].ports[side]);
}

void SharedPorts::affect(std::size_t port) {
  if (ports_[port].is_affected) return;
  ports_[port].is_affected = true;
  affected_.push_back(port);
}

// A change affects all ports that transfers join, directly or through others, to one that is affected. Most transfers
// are alone at both of their ports, and have these whole.
void SharedPorts::findAffected(double now) {
  for (std::size_t i = 0; i < affected_.size(); ++i) {
    Port& port = ports_[affected_[i]];
    const Side side = sideOf(affected_[i]);
    port.open = 0;
    if (port.transfers == 1 && ports_[transfers_[port.first].ports[otherSide(side)]].transfers == 1) {
      setRate(port.first, 1.0, now);
      continue;
    }
    port.free = 1.0;
    port.open = port.transfers;
    for (Id id = port.first; id != kNone; id = after(id, side)) {
      transfers_[id].is_open = true;
      affect(transfers_[id].ports[otherSide(side)]);
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
  for (const std::size_t index : transfer.ports) {
    ports_[index].free -= share;
    --ports_[index].open;
  }
  setRate(id, share, now);
}

void SharedPorts::setRate(Id id, double share, double now) {
  Transfer& transfer = transfers_[id];
  if (std::abs(share - transfer.rate) <= kSlack * share) return;
  transfer.left = std::max(0.0, transfer.left - (now - transfer.since) * transfer.rate);
  transfer.since = now;
  transfer.rate = share;
  transfer.end = now + transfer.left / share;
  moved_.push_back(id);
}

// The busiest ports are shared first; what their transfers leave of other ports is shared next.
const std::pmr::vector<SharedPorts::Id>& SharedPorts::update(double now) {
  moved_.clear();
  if (affected_.empty()) return moved_;
  findAffected(now);
  for (double share = leastShare(); std::isfinite(share); share = leastShare()) {
    for (const std::size_t index : affected_) {
      const Port& port = ports_[index];
      if (port.open == 0 || port.free / port.open > share * (1.0 + kSlack)) continue;
      const Side side = sideOf(index);
      for (Id id = port.first; id != kNone; id = after(id, side)) {
        if (transfers_[id].is_open) give(id, share, now);
      }
    }
  }
  for (const std::size_t index : affected_) ports_[index].is_affected = false;
  affected_.clear();
  return moved_;
}

}  // namespace starling
