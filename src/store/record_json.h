// Turns records into JSON values, the form that the bytes between ranks and the policy documents share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "store/records.h"

namespace starling {

// This kind of JSON keeps the order of fields.
using Json = nlohmann::ordered_json;

Json toJson(const Environment& environment);
Json toJson(const PolicyRecord& policy);
Json toJson(const std::vector<PolicyRecord>& policies);
Json toJson(const Batch& batch);

// Returns what kind of value it is, in words, as in "a list".
std::string kindOf(const Json& json);

// These read what toJson() makes. Fields that are not known, missing (but for those with an evident default), of the
// wrong kind or out of range are errors: "policies[2].choice: is a number; expected a text". `where` begins that path.
Status fromJson(const Json& json, const std::string& where, Environment& environment);
Status fromJson(const Json& json, const std::string& where, std::vector<PolicyRecord>& policies);
Status fromJson(const Json& json, const std::string& where, Batch& batch);

}  // namespace starling
