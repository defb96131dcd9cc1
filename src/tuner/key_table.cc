#include "tuner/key_table.h"

#include <new>
#include <span>

namespace starling {
namespace {

constexpr std::int32_t kNoTwin = -1;
constexpr std::int32_t kNothing = -1;  // to follow

}  // namespace

bool KeyTable::prepareFor(std::size_t keys) {
  try {
    spare_plans_.reserve(keys);
    while (spare_plans_.size() < keys) {
      KeyPlan plan;
      plan.trials.reserve(kMaxTrials);
      plan.placed.reserve(kMostPlaced);
      spare_plans_.push_back(std::move(plan));
    }
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void KeyTable::reserveForetold() {
  foretold_.resize(kMostForetold);
  for (Entry& entry : foretold_) entry.plan.placed.reserve(kMostPlaced);
}

const KeyTable::Entry* KeyTable::foretell(const PlanUpdate& update) {
  const std::optional<Key> kind = keyOfKind(update.key);
  if (!kind || foretold_count_ == foretold_.size()) return nullptr;
  Entry& entry = foretold_[foretold_count_++];
  entry.key = *kind;
  entry.plan.incumbent = update.plan.incumbent;
  entry.plan.limit = update.plan.limit;
  entry.plan.placed.assign(update.plan.placed.begin(), update.plan.placed.end());
  return &entry;
}

std::int32_t KeyTable::findOrAdd(const Key& key, const Signature& signature) {
  const auto [found, is_new] = index_.try_emplace(key, size());
  if (is_new) {
    entries_.emplace_back().key = key;
    if (const Entry* const stopped = stoppedFor(key)) entries_.back().times_stopped = stopped->times_stopped;
    // Later no memory is taken for it.
    twins_.try_emplace(anySiteOf(key), kNoTwin);
    if (!spare_plans_.empty()) {
      entries_.back().plan = std::move(spare_plans_.back());
      spare_plans_.pop_back();
    }
  }
  entries_[static_cast<std::size_t>(found->second)].signature = signature;
  return found->second;
}

std::optional<std::int32_t> KeyTable::find(const Key& key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? std::nullopt : std::optional(found->second);
}

std::int32_t KeyTable::count(const Key& key) {
  const std::optional<std::int32_t> known = find(key);
  if (!known) return -1;
  ++entry(*known).calls;
  return *known;
}

KeyTable::Place KeyTable::resolve(const Key& key, const Signature& signature, std::int32_t counted) {
  Place place;
  place.usual = place.key = findOrAdd(key, signature);
  Entry& usual = entry(place.usual);
  if (counted != place.usual) {
    if (counted >= 0) --entry(counted).calls;
    ++usual.calls;
  }
  place.index = usual.known_calls++;
  if (usual.plan.cycle.isNone()) return place;
  const std::optional<std::int32_t> special = find(specialOf(key));
  place.lacks_part = !special;
  if (special && usual.plan.cycle.isSpecial(place.index)) {
    place.key = *special;
    entry(*special).signature = signature;
  }
  return place;
}

std::int32_t KeyTable::addSpecial(std::int32_t usual) {
  const Signature signature = entry(usual).signature;
  return findOrAdd(specialOf(entry(usual).key), signature);
}

KeyTable::Next KeyTable::next(const Key& key) const {
  std::optional<std::int32_t> own = find(key);
  const bool is_special = own && entry(*own).plan.cycle.isSpecial(entry(*own).calls);
  if (is_special) own = find(specialOf(key));
  const auto twin = twins_.find(anySiteOf(key));
  const bool has_plan = own && entry(*own).plans > 0;
  if (!has_plan && twin != twins_.end() && twin->second != kNoTwin) {
    const Entry& known = entry(twin->second);
    // What nobody has measured is for its own key's few calls alone.
    return {twin->second, {known.isProved() ? known.plan.incumbent : kNativeChoice, false}, false, false, is_special};
  }
  const std::int32_t followed = has_plan ? *own : foretoldFor(key);
  if (followed == kNothing) return {own.value_or(kNothing), {}, own.has_value(), false, is_special};
  const Entry& known = entry(followed);
  Next next{followed, choiceOfCall(known.plan, known.calls_since_plan), has_plan, false, is_special};
  if (known.is_stopped) next.planned.choice = kNativeChoice;
  next.is_watched = next.planned.choice.algorithm != kNativeAlgorithm && !next.planned.exploration && known.isWatched();
  return next;
}

std::int32_t KeyTable::foretoldFor(const Key& key) const {
  const auto known = std::span(foretold_).first(foretold_count_);
  const auto found = std::ranges::find(known, anySiteOf(key), &Entry::key);
  return found == known.end() ? kNothing : kFirstForetold + static_cast<std::int32_t>(found - known.begin());
}

const KeyTable::Entry* KeyTable::stoppedFor(const Key& key) const {
  const std::int32_t index = foretoldFor(key);
  return index != kNothing && entry(index).is_stopped ? &entry(index) : nullptr;
}

void KeyTable::noteForetoldStop(const Entry& foretold) {
  for (Entry& one : entries_) {
    if (anySiteOf(one.key) != foretold.key) continue;
    ++one.times_stopped;
    one.is_stopped = one.is_stopped || one.plan.incumbent == foretold.plan.incumbent;
  }
}

bool KeyTable::Entry::noteWatched(std::int64_t shortest_ns, bool is_disturbed) {
  if (is_stopped) return false;  // a call that was under way
  const std::int64_t over_ns = shortest_ns - plan.limit.slow_ns;
  // What the agreement may have made slow tells neither that the choice is slow nor that it is not.
  if (is_disturbed && over_ns > 0 && over_ns <= CallLimit::kMostDisturbanceNs) return false;
  slow_calls = over_ns > 0 ? slow_calls + 1 : 0;
  if (slow_calls < CallLimit::kSlowCalls) return false;
  ++times_stopped;
  return is_stopped = true;
}

bool KeyTable::Entry::noteLast(std::int32_t rank) {
  const auto latest = std::ranges::max_element(plan.placed, {}, &PlacedRank::lateness_ns);
  if (latest == plan.placed.end() || unforeseen_calls >= kUnforeseenCalls) return false;
  const auto last = std::ranges::find(plan.placed, rank, &PlacedRank::rank);
  const std::int64_t lateness_ns = last == plan.placed.end() ? 0 : last->lateness_ns;
  if (2 * lateness_ns >= latest->lateness_ns) {
    unforeseen_calls = 0;
    return false;
  }
  if (rank == unforeseen_rank) {
    ++unforeseen_calls;
  } else {
    unforeseen_rank = rank;
    unforeseen_calls = 1;
    ++unconfirmed;
  }
  return unforeseen_calls == kUnforeseenCalls;
}

const KeyTable::Entry* KeyTable::apply(const PlanUpdate& update) {
  if (update.key < 0 || update.key >= size()) return nullptr;  // equal on all ranks: the table is
  Entry& changed = entry(update.key);
  const bool is_same = update.plan.incumbent == changed.plan.incumbent;
  const Entry* const foretold = stoppedFor(changed.key);
  const bool was_stopped =
      (changed.is_stopped && is_same) || (foretold != nullptr && update.plan.incumbent == foretold->plan.incumbent);
  changed.is_stopped = was_stopped && update.plan.limit.known < changed.times_stopped;
  changed.slow_calls = is_same ? changed.slow_calls : 0;
  if (update.plan.placed != changed.plan.placed) changed.unforeseen_calls = changed.unconfirmed = 0;
  changed.calls_before = is_same ? changed.calls_before + changed.incumbentCalls() : 0;
  ++changed.plans;
  changed.changes += is_same ? 0 : 1;
  changed.plan = update.plan;  // copies into the memory that is there
  changed.calls_since_plan = 0;
  // What special calls do is for them alone.
  const bool may_be_followed = changed.key.part == Part::kUsual && changed.plan.state == KeyState::kSettled;
  if (may_be_followed) twins_[anySiteOf(changed.key)] = update.key;
  return &changed;
}

}  // namespace starling
