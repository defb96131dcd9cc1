// A key with known figures as the CLI reads it.
#pragma once

#include <string>
#include <utility>

#include "../../summary/example_records.h"
#include "recording.h"

namespace starling::cli {

// A key of run 1 as the reader gives it, for tests without a database.
inline RecordedKey recordedKey(std::int64_t site_number, const SiteRecord& site, Place place = {}) {
  RecordedKey recorded;
  recorded.run.number = 1;
  recorded.run.run.program = "app";
  recorded.row.number = site_number;
  recorded.row.site_number = site_number;
  recorded.row.site = site;
  recorded.row.communicator = {"world", "MPI_COMM_WORLD", 4, kByPostArrival, 3e-6};
  recorded.row.key.id = exampleKeyId(site.identity);
  recorded.place = std::move(place);
  return recorded;
}

}  // namespace starling::cli
