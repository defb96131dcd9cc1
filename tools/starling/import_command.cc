#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "algos/catalogue.h"
#include "base/signature_names.h"
#include "base/text_format.h"
#include "commands.h"
#include "policy_key.h"
#include "store/database.h"
#include "store/policy_document.h"
#include "terminal.h"

namespace starling::cli {
namespace {

constexpr const char* kStandardInput = "-";

// No document is so long, which is read as a whole.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

Result<std::string> readText(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Status::error(fmt::format("{} is a folder: give a policy document, as `starling export` writes it", path));
  }
  std::string text;
  std::ifstream file;
  if (path != kStandardInput) file.open(path, std::ios::binary);
  std::istream& input = path == kStandardInput ? std::cin : file;
  std::array<char, 65536> part{};
  while (input && text.size() <= kMostBytes) {
    input.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (text.size() > kMostBytes) {
    return Status::error(fmt::format("{} is longer than {}: give a policy document, as `starling export` writes it",
                                     path, formatBytes(Bytes{kMostBytes})));
  }
  if (!input.eof()) return Status::error(fmt::format("cannot read {}: check the path and its permissions", path));
  return text;
}

// Checks that a run would use the choice for such calls, whose names are known.
Status checkUse(const PolicyRecord& policy, const Choice& choice, const std::string& where) {
  if (policy.type == kDerivedType || policy.type.ends_with(kOnDevice)) {
    return Status::error(fmt::format(
        "{}.type: is \"{}\"; calls of such types are left to the MPI library, so that no run would use this", where,
        policy.type));
  }
  if (policy.communicator_size < 2) {
    return Status::error(
        fmt::format("{}.communicator_size: is {}; expected 2 or more, as calls of one rank are left to the MPI library",
                    where, policy.communicator_size));
  }
  const Shape shape{.ranks = policy.communicator_size,
                    .count = lastByteOf(policy.size_class),
                    .commutative = policy.operation != kUserNonCommutativeOperation};
  if (choice.algorithm == kNativeAlgorithm || isValid(*findAlgorithm(choice.algorithm), shape)) return Status::ok();
  return Status::error(
      fmt::format("{}.choice: is \"{}\", which does not suit {} on {}; `starling algorithms` says which "
                  "do",
                  where, policy.choice, policy.operation, formatCount(policy.communicator_size, "rank")));
}

// Checks what the store knows nothing of.
Status checkNames(const PolicyDocument& document) {
  if (document.policies.empty()) return Status::error("policies: is empty; there is nothing to import");
  for (std::size_t i = 0; i < document.policies.size(); ++i) {
    const PolicyRecord& policy = document.policies[i];
    const Result<Choice> choice = parseChoice(policy.choice);
    if (!choice.isOk()) return Status::error(fmt::format("policies[{}].choice: {}", i, choice.status().message()));
    if (!isTypeName(policy.type)) {
      return Status::error(
          fmt::format("policies[{}].type: is \"{}\"; expected a type as `starling sites` shows them, "
                      "as in \"float\" or \"int64\"",
                      i, policy.type));
    }
    if (!isOperationName(policy.operation)) {
      return Status::error(
          fmt::format("policies[{}].operation: is \"{}\"; expected an operation as `starling sites` "
                      "shows them, as in \"sum\" or \"max\"",
                      i, policy.operation));
    }
    if (Status use = checkUse(policy, choice.value(), fmt::format("policies[{}]", i)); !use.isOk()) return use;
  }
  return Status::ok();
}

std::set<PolicyKey> keysOf(const std::vector<PolicyRecord>& policies) {
  std::set<PolicyKey> keys;
  for (const PolicyRecord& policy : policies) keys.insert(keyOf(policy));
  return keys;
}

struct ImportCounts {
  std::int64_t added = 0;
  std::int64_t replaced = 0;
};

// Of several policies of the document for the same calls the last one is what is there afterwards: they count as one.
Result<ImportCounts> countImported(Database& database, const PolicyDocument& document) {
  const auto present = database.policies(document.environment, document.program);
  if (!present.isOk()) return present.status();
  const std::set<PolicyKey> former = keysOf(present.value());
  ImportCounts counts;
  for (const PolicyKey& key : keysOf(document.policies)) ++(former.contains(key) ? counts.replaced : counts.added);
  return counts;
}

Outcome importFile(const std::string& path, const std::string& database_path) {
  const Result<std::string> text = readText(path);
  if (!text.isOk()) return Outcome::fault(text.status());
  const Result<PolicyDocument> document = parsePolicyJson(text.value());
  if (!document.isOk()) {
    const bool is_other = text.value().find_first_not_of(" \t\r\n") != text.value().find('{');
    return Outcome::fault(path + ": " + document.status().message() +
                          (is_other ? "; tables and rules that it writes for other programs cannot be imported" : ""));
  }
  if (const Status checked = checkNames(document.value()); !checked.isOk()) {
    return Outcome::fault(path + ": policy document, " + checked.message());
  }
  Result<Database> database = Database::open(database_path);
  if (!database.isOk()) return Outcome::fault(database.status());
  const Result<ImportCounts> counts = countImported(database.value(), document.value());
  if (!counts.isOk()) return Outcome::fault(counts.status());
  const Status imported = database.value().importPolicies(document.value());
  if (!imported.isOk()) return Outcome::fault(imported);
  const auto [added, replaced] = counts.value();
  const std::int64_t count = added + replaced;
  show("{} of {} {} in {}, {} new and {} in place of what was there; its next run in that environment starts there.\n",
       formatCount(count, "policy"), document.value().program, count == 1 ? "is" : "are", database_path, added,
       replaced);
  return Outcome::ok();
}

}  // namespace

Action setUpImport(CLI::App& command, const Globals& globals) {
  const auto path = std::make_shared<std::string>();
  command.add_option("FILE", *path, "A policy document, as `starling export` writes it; - is standard input")
      ->required();
  command.footer(
      "A policy takes the place of one that is there for the same program, environment, site, ranks, size class, type\n"
      "and operation, whoever learned it: a copy of the database keeps what is there, and so does `starling export\n"
      "--run N -o before.json`, where N is a run of that program and environment. A document with a policy that no "
      "run\n"
      "could find or use is refused as a whole. docs/policy-documents.md of Starling's sources describes the format.");
  return [path, &globals] { return importFile(*path, globals.databaseInForce()); };
}

}  // namespace starling::cli
