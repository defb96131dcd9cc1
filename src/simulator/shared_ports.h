// Shares ports among transfers: each rank, and each node, has one out and one in, and all transfers under way have them
// at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

namespace starling {

// Rates are max-min fair: as no transfer can be given more without taking it from one that has no more, ports of equal
// speed are shared evenly, and what one transfer cannot use, because its other port is busier, the others have. Source:
// Bertsekas, Gallager, Data Networks, 1992, section 6.5.2; SimGrid's network model is of this kind.
// THREADS: not thread-safe.
class SharedPorts {
 public:
  using Id = std::uint32_t;  // of a transfer; given again after its end

  // `places` counts the ranks and nodes.
  explicit SharedPorts(std::int32_t places, std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Begins a transfer that takes `seconds` of a whole port.
  Id begin(std::int32_t source, std::int32_t target, double seconds, double now);
  void end(Id id);

  // Returns when the transfer ends if nothing changes, as of the last update().
  double endOf(Id id) const { return transfers_[id].end; }

  // Shares the ports anew after transfers began and ended. Returns the transfers whose end has moved, in a list that is
  // good until the next call.
  const std::pmr::vector<Id>& update(double now);

 private:
  static constexpr Id kNone = 0xffffffff;
  // The sides of a transfer, by which its ports hold it.
  enum Side : std::uint8_t { kOut, kIn };
  struct Link {
    Id before = kNone;
    Id after = kNone;
  };
  struct Transfer {
    std::size_t ports[2] = {};  // by side, as are `links`
    Link links[2] = {};         // to the other transfers of the port
    double left = 0.0;          // seconds of a whole port, at `since`
    double since = 0.0;         // when its rate was last set
    double rate = 0.0;          // share of a port
    double end = 0.0;
    bool is_open = false;  // no new rate has been found yet
  };
  struct Port {
    Id first = kNone;  // of its transfers, in the order in which they began
    Id last = kNone;
    std::int32_t transfers = 0;
    bool is_affected = false;  // by what has changed
    double free = 0.0;         // share that is not given away
    std::int32_t open = 0;     // transfers that have none yet
  };

  // A port is of one side, as its number says.
  static Side sideOf(std::size_t port) { return port % 2 == 0 ? kOut : kIn; }
  static Side otherSide(Side side) { return side == kOut ? kIn : kOut; }
  Id after(Id id, Side side) const { return transfers_[id].links[side].after; }
  void add(Id id, Side side);
  void remove(Id id, Side side);
  void affect(std::size_t port);
  void findAffected(double now);
  double leastShare() const;
  void give(Id id, double share, double now);
  void setRate(Id id, double share, double now);

  std::pmr::vector<Port> ports_;  // of place p: 2 p out, 2 p + 1 in
  std::pmr::vector<Transfer> transfers_;
  std::pmr::vector<Id> unused_;             // ids that have ended
  std::pmr::vector<std::size_t> affected_;  // ports, each once
  std::pmr::vector<Id> moved_;
};

}  // namespace starling
