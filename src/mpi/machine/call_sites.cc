#include "mpi/machine/call_sites.h"

#include <new>

#include "mpi/machine/site_names.h"

namespace starling {
namespace {

template <typename Labels, typename Name>
void keep(Labels& labels, Name name, const char* label) {
  try {
    labels.try_emplace(name, label);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

LocalSite CallSites::localSite(const CallOrigin& origin) {
  if (origin.handle != kAnySite) return 0;
  if (origin.label == nullptr) return origin.return_address;
  LocalSite hash = 1;
  for (const char* c = origin.label; *c != '\0'; ++c) hash = mixHash(hash, static_cast<unsigned char>(*c));
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
