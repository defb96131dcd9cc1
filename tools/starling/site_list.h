// The list of sites: each row is a key, a site with one size of vectors.
#pragma once

#include "listing.h"
#include "recording.h"

namespace starling::cli {

ListShape<RecordedKey> sitesShape();
// Hides the columns in which all keys of the recording are alike.
ListShape<RecordedKey> sitesShape(const Recording& recording);

}  // namespace starling::cli
