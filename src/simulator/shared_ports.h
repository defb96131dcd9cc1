// Shares ports among transfers: each rank, and each node, has one out and one in, and all transfers under way have them
// at once.
#pragma once

#include <cstddef>
#include <cstdint>
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
  explicit SharedPorts(std::int32_t places);

  // Begins a transfer that takes `seconds` of a whole port.
  Id begin(std::int32_t source, std::int32_t target, double seconds, double now);
  void end(Id id);

  // Returns when the transfer ends if nothing changes, as of the last update().
  double endOf(Id id) const { return transfers_[id].end; }

  // Shares the ports anew after transfers began and ended. Returns the transfers whose end has moved, in a list that is
  // good until the next call.
  const std::vector<Id>& update(double now);

 private:
  struct Transfer {
    std::size_t out = 0;  // ports
    std::size_t in = 0;
    double left = 0.0;   // seconds of a whole port, at `since`
    double since = 0.0;  // when its rate was last set
    double rate = 0.0;   // share of a port
    double end = 0.0;
    bool is_open = false;  // no new rate has been found yet
  };
  struct Port {
    std::vector<Id> transfers;
    bool is_affected = false;  // by what has changed
    double free = 0.0;         // share that is not given away
    std::int32_t open = 0;     // transfers that have none yet
  };

  void affect(std::size_t port);
  void findAffected();
  double leastShare() const;
  void give(Id id, double share, double now);

  std::vector<Port> ports_;  // of place p: 2 p out, 2 p + 1 in
  std::vector<Transfer> transfers_;
  std::vector<Id> unused_;             // ids that have ended
  std::vector<std::size_t> affected_;  // ports, each once
  std::vector<Id> moved_;
};

}  // namespace starling
