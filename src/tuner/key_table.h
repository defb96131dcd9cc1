// The keys of one communicator and their agreed plans: equal on all ranks at every call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tuner/plan.h"
#include "tuner/signature.h"

namespace starling {

// THREADS: not thread-safe; one per communicator.
class KeyTable {
 public:
  struct Entry {
    Key key;
    Signature signature;  // of the latest resolved call
    KeyPlan plan;
    std::int64_t calls_since_plan = 0;
    std::int32_t plans = 0;          // that have taken force
    std::int32_t changes = 0;        // of the incumbent, by these
    std::int32_t slow_calls = 0;     // in a row, of those of the incumbent that were looked at
    std::int32_t times_stopped = 0;  // for kSlowCalls of these, or of what was foretold for such keys
    bool is_stopped = false;         // native runs until a plan comes that knows of it

    std::int32_t unforeseen_rank = -1;  // that came last in the latest of these calls, though the plan has another late
    std::int32_t unforeseen_calls = 0;  // in a row
    std::int32_t unconfirmed = 0;       // times that the next call was looked at, since ranks were arranged so

    std::int64_t calls_before = 0;  // of the incumbent, by the plans before that had the same one

    // The calls of a key are counted whichever part they belong to, in the entry of the usual ones: those whose site is
    // known, and with them those since, by the site that was predicted.
    std::int64_t known_calls = 0;
    std::int64_t calls = 0;

    // Counts the incumbent's calls by the plan in force.
    std::int64_t incumbentCalls() const {
      return std::max<std::int64_t>(calls_since_plan - static_cast<std::int64_t>(plan.trials.size()), 0);
    }
    // Returns whether the incumbent's next call is to be looked at.
    bool isWatched() const {
      const std::int64_t made = incumbentCalls() - std::max<std::int64_t>(plan.limit.cold - calls_before, 0);
      const bool may_confirm = unforeseen_calls == 1 && unconfirmed <= kMostUnconfirmed;
      const bool is_next = made >= 0 && (made <= CallLimit::kFirstCalls || made % plan.limit.every == 0);
      return plan.limit.slow_ns > 0 && (slow_calls > 0 || may_confirm || is_next);
    }
    // Returns whether the incumbent has passed the calls that are looked at first.
    bool isProved() const {
      return !is_stopped && calls_before + incumbentCalls() > CallLimit::kFirstCalls + plan.limit.cold;
    }
    // Notes the least time that a rank spent in a call of the incumbent, before which an agreement may have gone on;
    // returns true when the incumbent is stopped.
    bool noteWatched(std::int64_t shortest_ns, bool is_disturbed = false);
    // Notes which rank came last in it; returns true once for a plan where another rank is late than the plan has.
    bool noteLast(std::int32_t rank);
    static constexpr std::int32_t kUnforeseenCalls = 2;  // in a row tell of it
    // Where ranks take turns in being last, looking at the next calls so often has shown it.
    static constexpr std::int32_t kMostUnconfirmed = 4;
  };

  explicit KeyTable(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : entries_(memory), index_(memory), twins_(memory) {}

  // What other communicators of the shape run is foretold of so many keys at most.
  static constexpr std::size_t kMostForetold = 8;
  // Whether such calls come or not, their memory is taken beforehand, but of vectors above this size class (16 MiB)
  // when the first of them has come.
  static constexpr std::int32_t kMostReservedClass = 24;
  // Takes memory beforehand, so that foretell() takes none. It throws where memory is short.
  void reserveForetold();
  // Notes, before any key is known, what a key of another communicator of the shape runs: the calls of keys that are of
  // the kind `update.key`, as kindOf() has it, follow that until they have a plan of their own, or of their twin, or it
  // is stopped.
  // Returns what it keeps; null: the message was damaged, or there is no room for more. Takes no memory after
  // reserveForetold().
  const Entry* foretell(const PlanUpdate& update);
  // Returns whether an index, as in Next, names what was foretold; entry() finds that, too.
  static bool isForetold(std::int32_t index) { return index >= kFirstForetold; }
  // Notes that this, which was foretold, was stopped: so are the same incumbents of keys of its kind, by plans that
  // were made before.
  void noteForetoldStop(const Entry& foretold);

  // Takes memory beforehand, so that the next `keys` new keys take none for their plans. Returns false when memory is
  // short: then there may be fewer.
  bool prepareFor(std::size_t keys);

  // Returns the index of the key, which is added where it is new. All ranks add keys in the same order (at the ends of
  // epochs, from agreed calls), so the index names the key in messages. A new key takes kBytesPerKey of the table's
  // memory.
  std::int32_t findOrAdd(const Key& key, const Signature& signature);

  std::optional<std::int32_t> find(const Key& key) const;
  // Returns whether there are keys of the kind, which is a key of any site.
  bool hasKind(const Key& kind) const { return twins_.contains(kind); }

  // Counts a call among those of `key`, to which its predicted site has it belong. Returns the key's index; negative:
  // there is none yet.
  std::int32_t count(const Key& key);
  // Says where a call belongs once its site is known.
  struct Place {
    std::int32_t key = 0;     // the key that is to learn from it, of special calls if it is one
    std::int32_t usual = 0;   // the key of the site's usual calls
    std::int64_t index = 0;   // of the call among all of these two keys: 0, 1, ...
    bool lacks_part = false;  // the site's special calls have no key yet: see addSpecial()
  };
  // Adds the key where it is new, as findOrAdd() does. `counted` is what count() returned.
  Place resolve(const Key& key, const Signature& signature, std::int32_t counted);
  // Adds the key of the special calls beside that of the usual ones. In an epoch so many are added at most, since
  // memory is taken for so many beforehand.
  std::int32_t addSpecial(std::int32_t usual);
  static constexpr std::int32_t kMostSpecial = 4;

  // What the next call of a key runs.
  struct Next {
    std::int32_t entry = -1;  // whose plan it follows; negative: no plan is known
    PlannedChoice planned;
    bool is_own = false;  // the plan is the key's own
    bool is_watched = false;
    bool is_special = false;  // the key is that of the special calls

    // Returns whether the call counts among those of the plan.
    bool isCounted() const { return is_own || isForetold(entry); }
  };
  // `key` is that of the usual calls; where the next one is special by its cycle, the key of special calls takes its
  // place. Until a key has a plan it follows that of its twin: the key of usual calls, with vectors of the same size
  // class, type and operation, that settled last. Where there is none, it follows what was foretold.
  Next next(const Key& key) const;

  // Puts a plan in force, and returns its key's entry; null: the message was damaged, there is no such key. An
  // incumbent that was stopped stays so if the plan was made before that. Takes no memory for a key that was prepared
  // for.
  const Entry* apply(const PlanUpdate& update);

  Entry& entry(std::int32_t index) {
    return isForetold(index) ? foretold_[placeOfForetold(index)] : entries_[static_cast<std::size_t>(index)];
  }
  const Entry& entry(std::int32_t index) const {
    return isForetold(index) ? foretold_[placeOfForetold(index)] : entries_[static_cast<std::size_t>(index)];
  }
  std::int32_t size() const { return static_cast<std::int32_t>(entries_.size()); }

  // These bytes are for the key's node, its part of the index that may have to grow, and its part of the blocks in
  // which entries are kept.
  static constexpr std::size_t kBytesPerKey = 3 * sizeof(Entry) + 512;

 private:
  static constexpr std::int32_t kFirstForetold = std::int32_t{1} << 30;

  static std::size_t placeOfForetold(std::int32_t index) { return static_cast<std::size_t>(index - kFirstForetold); }
  // Returns the index of what was foretold for it; negative: nothing was.
  std::int32_t foretoldFor(const Key& key) const;
  // Returns what was foretold for it and was stopped; null: nothing was.
  const Entry* stoppedFor(const Key& key) const;

  std::pmr::deque<Entry> entries_;
  std::pmr::unordered_map<Key, std::int32_t, KeyHash> index_;
  std::pmr::unordered_map<Key, std::int32_t, KeyHash> twins_;  // by key of any site
  std::vector<KeyPlan> spare_plans_;
  std::vector<Entry> foretold_;  // with keys of any site; some are there beforehand
  std::size_t foretold_count_ = 0;
};

}  // namespace starling
