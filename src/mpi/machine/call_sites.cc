#include "mpi/machine/call_sites.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "mpi/machine/site_names.h"
#include "store/policy_check.h"

namespace starling {
namespace {

// Returns the length of the label's beginning that is kept, which does not end within a character of UTF-8.
std::size_t keptLength(const char* label) {
  std::size_t length = ::strnlen(label, kLongestLabel);
  const auto is_within = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; };
  if (length == kLongestLabel) {
    while (length > 0 && is_within(label[length])) --length;
  }
  return length;
}

LocalSite hashOf(const char* label) {
  LocalSite hash = 1;
  for (const char* c = label; *c != '\0'; ++c) hash = mixHash(hash, static_cast<unsigned char>(*c));
  return hash;
}

template <typename Labels, typename Name>
void keep(Labels& labels, Name name, const char* label) {
  if (labels.contains(name)) return;
  try {
    const std::size_t length = keptLength(label);
    std::string kept(label, length);
    if (label[length] != '\0') kept += fmt::format("... ({:x})", hashOf(label));
    labels.try_emplace(name, std::move(kept));
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

LocalSite CallSites::localSite(const CallOrigin& origin) {
  if (origin.handle != kAnySite) return 0;
  if (origin.label == nullptr) return origin.return_address;
  const LocalSite hash = hashOf(origin.label);
  if (keeps_labels_) keep(labels_, hash, origin.label);
  return hash;
}

SiteId CallSites::create(const char* label) {
  const SiteId handle = next_handle_++;
  if (keeps_labels_) keep(handle_labels_, handle, label);
  return handle;
}

SiteRecord CallSites::describe(SiteId site, LocalSite local) const {
  if (site >= kFirstHandleSite) {
    const auto label = handle_labels_.find(site);
    return label != handle_labels_.end() ? siteOfLabel(label->second) : siteOfSignature();
  }
  if (local == 0) return siteOfSignature();
  const auto label = labels_.find(local);
  return label != labels_.end() ? siteOfLabel(label->second) : siteOfAddress(local);
}

}  // namespace starling
