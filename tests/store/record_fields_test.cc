#include "store/record_fields.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace starling {
namespace {

// A record with one member more than its list has.
template <typename Planted>
struct Grown {
  std::int64_t epoch = 0;
  std::string choice;
  Planted planted{};
};
template <typename Planted>
auto fieldsOf(Grown<Planted>& record) {
  return std::tuple{identifies("epoch", record.epoch), replaces("choice", record.choice)};
}

// A record whose list has them all, in another order than the members.
struct Shuffled {
  std::int64_t epoch = 0;
  std::string choice;
};
[[maybe_unused]] auto fieldsOf(Shuffled& record) {
  return std::tuple{replaces("choice", record.choice), identifies("epoch", record.epoch)};
}

TEST(RecordFields, memberThatIsNotListedIsSeen) {
  EXPECT_FALSE(kListsEveryMember<Grown<std::int32_t>>);
  EXPECT_FALSE(kListsEveryMember<Grown<double>>);
  EXPECT_FALSE(kListsEveryMember<Grown<bool>>);
  EXPECT_FALSE(kListsEveryMember<Grown<std::string>>);
  EXPECT_FALSE(kListsEveryMember<Grown<std::optional<double>>>);
  EXPECT_FALSE(kListsEveryMember<Grown<std::vector<std::int32_t>>>);
  EXPECT_FALSE(kListsEveryMember<Grown<KeyId>>);
}

TEST(RecordFields, otherOrderThanTheMembersIsSeen) { EXPECT_FALSE(kListsEveryMember<Shuffled>); }

TEST(RecordFields, onlyWhatHasADefaultMayBeMissing) {
  std::vector<std::string> optional;
  PolicyRecord policy;
  forEachField(policy, [&optional](const auto& field) {
    if (field.presence == Presence::kOptional) optional.emplace_back(field.name);
  });
  EXPECT_EQ(optional, (std::vector<std::string>{"table", "lateness_ns", "gain", "compared_by", "reason"}));
}

}  // namespace
}  // namespace starling
