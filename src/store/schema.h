// The tables of the tuning database. SQLite keeps the comments: `sqlite3 tuning.db .schema` shows them.
//
// A released step is never edited. A change of the schema is a new step at the end of kSchemaSteps that brings the
// tables forward from the step before; PRAGMA user_version says how many steps a file has gone through.
#pragma once

#include <array>
#include <cstdint>

namespace starling {

// This is the PRAGMA application_id of a tuning database: "STRL".
inline constexpr std::uint32_t kApplicationId = 0x5354524C;

inline constexpr const char* kSchemaStep1 = R"sql(
CREATE TABLE environments (
  -- What makes learning comparable: runs share policies when all columns are equal.
  number INTEGER PRIMARY KEY,       -- of this database: 1, 2, ...
  ranks INTEGER NOT NULL,           -- of MPI_COMM_WORLD
  nodes INTEGER NOT NULL,           -- machines they run on
  ranks_per_node INTEGER NOT NULL,  -- on the fullest node
  processor TEXT NOT NULL,          -- model name
  mpi_version TEXT NOT NULL,        -- the library's own version line
  transport TEXT NOT NULL,          -- 'shared_memory' or 'network'
  UNIQUE (ranks, nodes, ranks_per_node, processor, mpi_version, transport)
);

CREATE TABLE runs (
  -- One start of one program.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  id TEXT NOT NULL UNIQUE,     -- text that no other run has
  environment INTEGER NOT NULL REFERENCES environments,  -- where it ran
  program TEXT NOT NULL,       -- file name of the executable
  started INTEGER NOT NULL,    -- seconds since 1970, UTC
  finished INTEGER             -- seconds since 1970, UTC; NULL: still running, or ended without MPI_Finalize
);
CREATE INDEX runs_by_program ON runs (program, environment);

CREATE TABLE communicators (
  -- Communicators of a run that made enough calls to be tuned.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- the run it lived in
  id TEXT NOT NULL,            -- unique within the run
  name TEXT NOT NULL,          -- MPI_Comm_get_name, may be ''
  size INTEGER NOT NULL,       -- ranks
  UNIQUE (run, id)
);

CREATE TABLE sites (
  -- Places in programs that call allreduce; shared by all runs.
  number INTEGER PRIMARY KEY,     -- of this database: 1, 2, ...
  identity TEXT NOT NULL UNIQUE,  -- 'label:NAME', 'MODULE[build id]+0xOFFSET', or 'signature' where ranks did not agree
  label TEXT NOT NULL,            -- given to tuned_allreduce_at or starling_site_create, else ''
  module TEXT NOT NULL,           -- path of the executable or library, may be ''
  build_id TEXT NOT NULL,         -- of the module, hexadecimal, may be ''
  offset INTEGER NOT NULL,        -- of the return address within the module, bytes
  symbol TEXT NOT NULL            -- function and line, demangled; '' while unknown
);

CREATE TABLE keys (
  -- What is tuned: a site's calls of one size class, type and operation on one communicator. The newest state.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  communicator INTEGER NOT NULL REFERENCES communicators ON DELETE CASCADE,  -- and by it the run
  site INTEGER NOT NULL REFERENCES sites,  -- where the program calls
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  bytes INTEGER NOT NULL,       -- of the latest call
  calls INTEGER NOT NULL,       -- in this run
  exploration_calls INTEGER NOT NULL,  -- those of them made to try a candidate
  seconds REAL,                 -- time in allreduce in this run, mean over ranks, seconds
  imbalance REAL,               -- lateness of the latest rank, mean over samples, seconds
  state TEXT NOT NULL,          -- 'observing', 'exploring', 'settled' or 'passes_through'
  choice TEXT NOT NULL,         -- algorithm and parameters in force: 'ring_segmented:segments=8'
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  gain REAL,                    -- post-arrival time of native / that of the choice; NULL: not known
  UNIQUE (communicator, site, size_class, type, operation)
);
CREATE INDEX keys_by_site ON keys (site);

CREATE TABLE observations (
  -- One candidate's calls of one epoch.
  number INTEGER PRIMARY KEY,        -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,            -- of the communicator: 0, 1, ...
  choice TEXT NOT NULL,              -- the candidate
  exploration INTEGER NOT NULL,      -- 1: called to try the candidate; 0: it was in force
  calls INTEGER NOT NULL,            -- in the epoch
  samples INTEGER NOT NULL,          -- calls of them that were timed
  elapsed_mean REAL,                 -- exit - arrival, mean over ranks and samples, seconds
  post_arrival_mean REAL,            -- mean exit - latest arrival, mean over samples, seconds
  post_arrival_minimum REAL,         -- the same, least of the samples, seconds
  post_arrival_deviation REAL,       -- the same, standard deviation over samples, seconds
  UNIQUE (key, epoch, choice, exploration)
);

CREATE TABLE arrivals (
  -- One rank's lateness in one epoch: its arrival - the earliest arrival of the call.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...
  rank INTEGER NOT NULL,       -- in the communicator
  samples INTEGER NOT NULL,    -- calls that were timed
  mean REAL,                   -- lateness, seconds
  deviation REAL,              -- standard deviation of the lateness, seconds
  predicted REAL,              -- lateness expected in the next call, seconds
  method TEXT NOT NULL,        -- predictor with the least error
  UNIQUE (key, epoch, rank)
);

CREATE TABLE decisions (
  -- What was chosen, when, and why.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was decided on
  epoch INTEGER NOT NULL,       -- of the communicator: 0, 1, ...
  call INTEGER NOT NULL,        -- calls of the key made before it
  choice TEXT NOT NULL,         -- algorithm and parameters from here on
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  reason TEXT NOT NULL,         -- one or more sentences
  expected REAL,                -- post-arrival time that the cost model expected, seconds; NULL: not known
  measured REAL,                -- post-arrival time of the choice, seconds; NULL: not measured
  native REAL,                  -- post-arrival time of native, seconds; NULL: not measured
  UNIQUE (key, epoch, call, choice)
);

CREATE TABLE policies (
  -- What later runs of the program in the same environment start from.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  environment INTEGER NOT NULL REFERENCES environments,  -- where it was learned
  program TEXT NOT NULL,        -- file name of the executable
  run INTEGER REFERENCES runs ON DELETE SET NULL,  -- that wrote it last; NULL: pruned, or imported
  site TEXT NOT NULL,           -- identity as in sites; an imported policy may name one unknown here, or 'any'
  communicator_size INTEGER NOT NULL,  -- ranks
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  choice TEXT NOT NULL,         -- algorithm and parameters
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  lateness_ns TEXT NOT NULL,    -- JSON list by virtual rank, nanoseconds; []: all on time
  gain REAL,                    -- post-arrival time of native / that of the choice; NULL: not known
  reason TEXT NOT NULL,         -- one or more sentences
  UNIQUE (environment, program, site, communicator_size, size_class, type, operation)
);

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.calls, keys.exploration_calls,
         keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on, what is not known is NULL, and the database says by which time candidates were compared.
inline constexpr const char* kSchemaStep2 = R"sql(
DROP VIEW overview;

CREATE TABLE new_communicators (
  -- Communicators of a run that made enough calls to be tuned.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- the run it lived in
  id TEXT NOT NULL,            -- unique within the run
  name TEXT NOT NULL,          -- MPI_Comm_get_name, may be ''
  size INTEGER NOT NULL,       -- ranks
  compared_by TEXT,            -- time that its candidates are compared by: 'post_arrival' (mean exit - last arrival), or
                               -- 'elapsed' (mean of exit - arrival) where the ranks' clocks do not compare; NULL: not known
  UNIQUE (run, id)
);
-- Step 1 recorded arrivals with every timed call, but for ranks whose clocks do not compare.
INSERT INTO new_communicators
  SELECT number, run, id, name, size,
         CASE WHEN EXISTS (SELECT 1 FROM keys JOIN arrivals ON arrivals.key = keys.number
                           WHERE keys.communicator = communicators.number) THEN 'post_arrival'
              WHEN EXISTS (SELECT 1 FROM keys JOIN observations ON observations.key = keys.number
                           WHERE keys.communicator = communicators.number AND samples > 0) THEN 'elapsed' END
  FROM communicators;

CREATE TABLE new_keys (
  -- What is tuned: a site's calls of one size class, type and operation on one communicator. The newest state.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  communicator INTEGER NOT NULL REFERENCES communicators ON DELETE CASCADE,  -- and by it the run
  site INTEGER NOT NULL REFERENCES sites,  -- where the program calls
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  bytes INTEGER NOT NULL,       -- of the latest call
  calls INTEGER NOT NULL,       -- in this run
  exploration_calls INTEGER NOT NULL,  -- those of them made to try a candidate
  seconds REAL,                 -- time in allreduce in this run, mean over ranks, seconds; NULL: no call was timed
  imbalance REAL,               -- lateness of the latest rank, mean over samples, seconds; NULL: not known
  state TEXT NOT NULL,          -- 'observing', 'exploring', 'settled' or 'passes_through'
  choice TEXT NOT NULL,         -- algorithm and parameters in force: 'ring_segmented:segments=8'
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  gain REAL,                    -- time of native / that of the choice, by communicators.compared_by; NULL: not known
  UNIQUE (communicator, site, size_class, type, operation)
);
INSERT INTO new_keys
  SELECT keys.number, communicator, site, size_class, type, operation, bytes, calls, exploration_calls,
         CASE WHEN seconds > 0 THEN seconds END,
         CASE WHEN seconds > 0 AND compared_by = 'post_arrival' THEN imbalance END,
         state, choice, virtual_ranks, gain
  FROM keys JOIN new_communicators ON new_communicators.number = communicator;

CREATE TABLE new_observations (
  -- One candidate's calls of one epoch.
  number INTEGER PRIMARY KEY,        -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,            -- of the communicator: 0, 1, ...
  choice TEXT NOT NULL,              -- the candidate
  exploration INTEGER NOT NULL,      -- 1: called to try the candidate; 0: it was in force
  calls INTEGER NOT NULL,            -- in the epoch
  samples INTEGER NOT NULL,          -- calls of them that were timed; 0: all times are NULL
  elapsed_mean REAL,                 -- exit - arrival, mean over ranks and samples, seconds
  elapsed_minimum REAL,              -- the same, mean over ranks, least of the samples, seconds
  elapsed_deviation REAL,            -- the same, mean over ranks, standard deviation over samples, seconds
  post_arrival_mean REAL,            -- mean exit - latest arrival, mean over samples, seconds; NULL: clocks do not compare
  post_arrival_minimum REAL,         -- the same, least of the samples, seconds
  post_arrival_deviation REAL,       -- the same, standard deviation over samples, seconds
  UNIQUE (key, epoch, choice, exploration)
);
-- Step 1 held elapsed times in the columns of post-arrival times where clocks do not compare.
INSERT INTO new_observations
  SELECT observations.number, key, epoch, observations.choice, exploration, observations.calls, samples,
         CASE WHEN samples > 0 THEN elapsed_mean END,
         CASE WHEN samples > 0 AND compared_by = 'elapsed' THEN post_arrival_minimum END,
         CASE WHEN samples > 0 AND compared_by = 'elapsed' THEN post_arrival_deviation END,
         CASE WHEN samples > 0 AND compared_by = 'post_arrival' THEN post_arrival_mean END,
         CASE WHEN samples > 0 AND compared_by = 'post_arrival' THEN post_arrival_minimum END,
         CASE WHEN samples > 0 AND compared_by = 'post_arrival' THEN post_arrival_deviation END
  FROM observations JOIN keys ON keys.number = key
       JOIN new_communicators ON new_communicators.number = communicator;

CREATE TABLE new_decisions (
  -- What was chosen, when, and why.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was decided on
  epoch INTEGER NOT NULL,       -- of the communicator: 0, 1, ...
  call INTEGER NOT NULL,        -- calls of the key made before it
  choice TEXT NOT NULL,         -- algorithm and parameters from here on
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  reason TEXT NOT NULL,         -- one or more sentences
  expected REAL,                -- post-arrival time that the cost model expected, seconds; NULL: not known
  measured REAL,                -- time of the choice by communicators.compared_by, seconds; NULL: not measured
  native REAL,                  -- time of native by communicators.compared_by, seconds; NULL: not measured
  UNIQUE (key, epoch, call, choice)
);
INSERT INTO new_decisions SELECT * FROM decisions;

CREATE TABLE new_policies (
  -- What later runs of the program in the same environment start from.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  environment INTEGER NOT NULL REFERENCES environments,  -- where it was learned
  program TEXT NOT NULL,        -- file name of the executable
  run INTEGER REFERENCES runs ON DELETE SET NULL,  -- that wrote it last; NULL: pruned, or imported
  site TEXT NOT NULL,           -- identity as in sites; an imported policy may name one unknown here, or 'any'
  communicator_size INTEGER NOT NULL,  -- ranks
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  choice TEXT NOT NULL,         -- algorithm and parameters
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  lateness_ns TEXT NOT NULL,    -- JSON list by virtual rank, nanoseconds; []: all on time
  gain REAL,                    -- time of native / that of the choice; NULL: not known
  compared_by TEXT,             -- time that the gain compares, as in communicators; NULL: not known
  reason TEXT NOT NULL,         -- one or more sentences
  UNIQUE (environment, program, site, communicator_size, size_class, type, operation)
);
-- The time that all communicators of that size were compared by in the run that learned it.
INSERT INTO new_policies
  SELECT number, environment, program, run, site, communicator_size, size_class, type, operation, choice,
         virtual_ranks, lateness_ns, gain,
         (SELECT CASE WHEN min(compared_by) = max(compared_by) THEN min(compared_by) END FROM new_communicators
          WHERE new_communicators.run = policies.run AND size = communicator_size),
         reason
  FROM policies;

DROP TABLE policies;
DROP TABLE decisions;
DROP TABLE observations;
DROP TABLE keys;
DROP TABLE communicators;
ALTER TABLE new_communicators RENAME TO communicators;
ALTER TABLE new_keys RENAME TO keys;
ALTER TABLE new_observations RENAME TO observations;
ALTER TABLE new_decisions RENAME TO decisions;
ALTER TABLE new_policies RENAME TO policies;
CREATE INDEX keys_by_site ON keys (site);

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.calls, keys.exploration_calls,
         keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain, communicators.compared_by
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// The error of the clocks.
inline constexpr const char* kSchemaStep3 = R"sql(
DROP VIEW overview;

CREATE TABLE new_communicators (
  -- Communicators of a run that made enough calls to be tuned.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- the run it lived in
  id TEXT NOT NULL,            -- unique within the run
  name TEXT NOT NULL,          -- MPI_Comm_get_name, may be ''
  size INTEGER NOT NULL,       -- ranks
  compared_by TEXT,            -- time that its candidates are compared by: 'post_arrival' (mean exit - last arrival), or
                               -- 'elapsed' (mean of exit - arrival) where the ranks' clocks do not compare; NULL: not known
  clock_error REAL,            -- most by which two ranks' clocks disagreed in its timed calls, seconds; ranks that came
                               -- no later than that count as on time; 0: one clock; NULL: not known
  UNIQUE (run, id)
);
INSERT INTO new_communicators SELECT number, run, id, name, size, compared_by, NULL FROM communicators;
DROP TABLE communicators;
ALTER TABLE new_communicators RENAME TO communicators;

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.calls, keys.exploration_calls,
         keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain, communicators.compared_by,
         communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on old epochs are joined, and ranks that are never late stand in a histogram only.
inline constexpr const char* kSchemaStep4 = R"sql(
CREATE TABLE new_observations (
  -- One candidate's calls of one epoch, or of several older ones that were joined.
  number INTEGER PRIMARY KEY,        -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,            -- of the communicator: 0, 1, ...; the latest of those that it tells of
  choice TEXT NOT NULL,              -- the candidate
  exploration INTEGER NOT NULL,      -- 1: called to try the candidate; 0: it was in force
  calls INTEGER NOT NULL,            -- in the epochs
  samples INTEGER NOT NULL,          -- calls of them that were timed; 0: all times are NULL
  elapsed_mean REAL,                 -- exit - arrival, mean over ranks and samples, seconds
  elapsed_minimum REAL,              -- the same, mean over ranks, least of the samples, seconds
  elapsed_deviation REAL,            -- the same, mean over ranks, standard deviation over samples, seconds
  post_arrival_mean REAL,            -- mean exit - latest arrival, mean over samples, seconds; NULL: clocks do not compare
  post_arrival_minimum REAL,         -- the same, least of the samples, seconds
  post_arrival_deviation REAL,       -- the same, standard deviation over samples, seconds
  epochs INTEGER NOT NULL,           -- recorded ones that were joined in it; 1: it is as it was recorded
  UNIQUE (key, epoch, choice, exploration)
);
INSERT INTO new_observations SELECT *, 1 FROM observations;

CREATE TABLE new_arrivals (
  -- One rank's lateness, its arrival - the earliest arrival of the call, in one epoch, or in several older ones that were
  -- joined. Of many ranks only those have rows that were late beyond the noise, or among the latest.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...; the latest of those that it tells of
  rank INTEGER NOT NULL,       -- in the communicator
  samples INTEGER NOT NULL,    -- calls that were timed
  mean REAL,                   -- lateness, seconds
  deviation REAL,              -- standard deviation of the lateness, seconds
  predicted REAL,              -- lateness expected in the call after the latest epoch, seconds
  method TEXT NOT NULL,        -- predictor with the least error
  epochs INTEGER NOT NULL,     -- recorded ones that were joined in it, where they had this rank; 1: as it was recorded
  UNIQUE (key, epoch, rank)
);
INSERT INTO new_arrivals SELECT *, 1 FROM arrivals;

CREATE TABLE arrival_histograms (
  -- The latenesses of all ranks in one epoch, or in several older ones that were joined.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...; the latest of those that it tells of
  samples INTEGER NOT NULL,    -- calls that were timed, of every rank
  counts TEXT NOT NULL,        -- JSON list of ranks, once for each epoch, by mean lateness: below 1 us, below 3 us, below
                               -- 10 us, 30 us, and so on to 3 s, and above
  epochs INTEGER NOT NULL,     -- recorded ones that were joined in it; 1: it is as it was recorded
  UNIQUE (key, epoch)
);
-- Earlier steps recorded the arrivals of every rank.
INSERT INTO arrival_histograms (key, epoch, samples, counts, epochs)
  SELECT key, epoch, max(samples),
         '[' || count(*) FILTER (WHERE mean < 1e-6) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-6 AND mean < 3e-6) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-6 AND mean < 1e-5) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-5 AND mean < 3e-5) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-5 AND mean < 1e-4) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-4 AND mean < 3e-4) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-4 AND mean < 1e-3) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-3 AND mean < 3e-3) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-3 AND mean < 1e-2) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-2 AND mean < 3e-2) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-2 AND mean < 1e-1) || ',' ||
         count(*) FILTER (WHERE mean >= 1e-1 AND mean < 3e-1) || ',' ||
         count(*) FILTER (WHERE mean >= 3e-1 AND mean < 1e0) || ',' ||
         count(*) FILTER (WHERE mean >= 1e0 AND mean < 3e0) || ',' ||
         count(*) FILTER (WHERE mean >= 3e0) || ']', 1
  FROM arrivals GROUP BY key, epoch;

DROP TABLE arrivals;
DROP TABLE observations;
ALTER TABLE new_observations RENAME TO observations;
ALTER TABLE new_arrivals RENAME TO arrivals;
)sql";

// From this step on, special calls of a repeating sequence are a key of their own, and the database says how well
// arrivals are forecast, and what plans make of them.
inline constexpr const char* kSchemaStep5 = R"sql(
DROP VIEW overview;

CREATE TABLE new_keys (
  -- What is tuned: a site's calls of one size class, type and operation on one communicator, or those of them that are
  -- special in a repeating sequence. The newest state.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  communicator INTEGER NOT NULL REFERENCES communicators ON DELETE CASCADE,  -- and by it the run
  site INTEGER NOT NULL REFERENCES sites,  -- where the program calls
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  part INTEGER NOT NULL,        -- 1: the special calls of a repeating sequence; 0: the others, or all
  bytes INTEGER NOT NULL,       -- of the latest call
  calls INTEGER NOT NULL,       -- in this run
  exploration_calls INTEGER NOT NULL,  -- those of them made to try a candidate
  seconds REAL,                 -- time in allreduce in this run, mean over ranks, seconds; NULL: no call was timed
  imbalance REAL,               -- lateness of the latest rank, mean over samples, seconds; NULL: not known
  state TEXT NOT NULL,          -- 'observing', 'exploring', 'settled' or 'passes_through'
  choice TEXT NOT NULL,         -- algorithm and parameters in force: 'ring_segmented:segments=8'
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  gain REAL,                    -- time of native / that of the choice, by communicators.compared_by; NULL: not known
  cycle TEXT NOT NULL,          -- which of its site's calls these are: 'every 50th call', 'all but every 50th call'; '':
                                -- all
  outlook TEXT NOT NULL,        -- what plans make of arrivals: 'on_time' (nobody is late), 'predicted' (they follow them)
                                -- or 'unpredictable' (only flags in the call tell who is late); '': not known
  UNIQUE (communicator, site, size_class, type, operation, part)
);
INSERT INTO new_keys
  SELECT number, communicator, site, size_class, type, operation, 0, bytes, calls, exploration_calls, seconds, imbalance,
         state, choice, virtual_ranks, gain, '', ''
  FROM keys;

CREATE TABLE new_arrivals (
  -- One rank's lateness, its arrival - the earliest arrival of the call, in one epoch, or in several older ones that were
  -- joined. Of many ranks only those have rows that were late beyond the noise, or among the latest.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...; the latest of those that it tells of
  rank INTEGER NOT NULL,       -- in the communicator
  samples INTEGER NOT NULL,    -- calls that were timed
  mean REAL,                   -- lateness, seconds
  deviation REAL,              -- standard deviation of the lateness, seconds
  predicted REAL,              -- lateness expected in the call after the latest epoch, seconds
  method TEXT NOT NULL,        -- predictor with the least error
  error REAL,                  -- by how much its latest predictions were wrong on average, seconds; NULL: not known
  epochs INTEGER NOT NULL,     -- recorded ones that were joined in it, where they had this rank; 1: as it was recorded
  UNIQUE (key, epoch, rank)
);
INSERT INTO new_arrivals
  SELECT number, key, epoch, rank, samples, mean, deviation, predicted, method, NULL, epochs FROM arrivals;

DROP TABLE arrivals;
DROP TABLE keys;
ALTER TABLE new_keys RENAME TO keys;
ALTER TABLE new_arrivals RENAME TO arrivals;
CREATE INDEX keys_by_site ON keys (site);

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.cycle, keys.calls,
         keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain,
         communicators.compared_by, communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on the database says how long a run took and on which hosts, which rank came last, and how well a gain
// is known.
inline constexpr const char* kSchemaStep6 = R"sql(
DROP VIEW overview;

CREATE TABLE new_runs (
  -- One start of one program.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  id TEXT NOT NULL UNIQUE,     -- text that no other run has
  environment INTEGER NOT NULL REFERENCES environments,  -- where it ran
  program TEXT NOT NULL,       -- file name of the executable
  started INTEGER NOT NULL,    -- seconds since 1970, UTC
  finished INTEGER,            -- seconds since 1970, UTC; NULL: still running, or ended without MPI_Finalize
  hosts TEXT NOT NULL,         -- of the ranks of MPI_COMM_WORLD in order: 'a:8,b:8' where 8 ranks run on a, then 8 on
                               -- b; '': not known
  seconds REAL                 -- seconds from MPI_Init to MPI_Finalize; NULL: not known
);
INSERT INTO new_runs SELECT number, id, environment, program, started, finished, '', NULL FROM runs;

CREATE TABLE new_keys (
  -- What is tuned: a site's calls of one size class, type and operation on one communicator, or those of them that are
  -- special in a repeating sequence. The newest state.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  communicator INTEGER NOT NULL REFERENCES communicators ON DELETE CASCADE,  -- and by it the run
  site INTEGER NOT NULL REFERENCES sites,  -- where the program calls
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  part INTEGER NOT NULL,        -- 1: the special calls of a repeating sequence; 0: the others, or all
  bytes INTEGER NOT NULL,       -- of the latest call
  calls INTEGER NOT NULL,       -- in this run
  exploration_calls INTEGER NOT NULL,  -- those of them made to try a candidate
  seconds REAL,                 -- time in allreduce in this run, mean over ranks, seconds; NULL: no call was timed
  imbalance REAL,               -- lateness of the latest rank, mean over samples, seconds; NULL: not known
  state TEXT NOT NULL,          -- 'observing', 'exploring', 'settled' or 'passes_through'
  choice TEXT NOT NULL,         -- algorithm and parameters in force: 'ring_segmented:segments=8'
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity
  gain REAL,                    -- time of native / that of the choice, by communicators.compared_by; NULL: not known
  cycle TEXT NOT NULL,          -- which of its site's calls these are: 'every 50th call', 'all but every 50th call'; '':
                                -- all
  outlook TEXT NOT NULL,        -- what plans make of arrivals: 'on_time' (nobody is late), 'predicted' (they follow them)
                                -- or 'unpredictable' (only flags in the call tell who is late); '': not known
  gain_error REAL,              -- standard error of `gain`, a ratio as that is; NULL: not known
  UNIQUE (communicator, site, size_class, type, operation, part)
);
INSERT INTO new_keys
  SELECT number, communicator, site, size_class, type, operation, part, bytes, calls, exploration_calls, seconds,
         imbalance, state, choice, virtual_ranks, gain, cycle, outlook, NULL
  FROM keys;

CREATE TABLE new_arrivals (
  -- One rank's lateness, its arrival - the earliest arrival of the call, in one epoch, or in several older ones that were
  -- joined. Of many ranks only those have rows that were late beyond the noise, or among the latest.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...; the latest of those that it tells of
  rank INTEGER NOT NULL,       -- in the communicator
  samples INTEGER NOT NULL,    -- calls that were timed
  mean REAL,                   -- lateness, seconds
  deviation REAL,              -- standard deviation of the lateness, seconds
  predicted REAL,              -- lateness expected in the call after the latest epoch, seconds
  method TEXT NOT NULL,        -- predictor with the least error
  error REAL,                  -- by how much its latest predictions were wrong on average, seconds; NULL: not known
  epochs INTEGER NOT NULL,     -- recorded ones that were joined in it, where they had this rank; 1: as it was recorded
  last INTEGER,                -- samples in which this rank came last, beyond the clocks' error; NULL: not known
  world_rank INTEGER,          -- its rank in MPI_COMM_WORLD; NULL: not known, or of another world
  UNIQUE (key, epoch, rank)
);
INSERT INTO new_arrivals
  SELECT number, key, epoch, rank, samples, mean, deviation, predicted, method, error, epochs, NULL, NULL
  FROM arrivals;

DROP TABLE arrivals;
DROP TABLE keys;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
ALTER TABLE new_keys RENAME TO keys;
ALTER TABLE new_arrivals RENAME TO arrivals;
CREATE INDEX runs_by_program ON runs (program, environment);
CREATE INDEX keys_by_site ON keys (site);

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.cycle, keys.calls,
         keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain,
         communicators.compared_by, communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on the database says what messages cost on a communicator, and how its ranks share nodes, so that
// calls can be simulated as they were recorded.
inline constexpr const char* kSchemaStep7 = R"sql(
DROP VIEW overview;

CREATE TABLE new_communicators (
  -- Communicators of a run that made enough calls to be tuned, with what was probed when they were prepared.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- the run it lived in
  id TEXT NOT NULL,            -- unique within the run
  name TEXT NOT NULL,          -- MPI_Comm_get_name, may be ''
  size INTEGER NOT NULL,       -- ranks
  compared_by TEXT,            -- time that its candidates are compared by: 'post_arrival' (mean exit - last arrival), or
                               -- 'elapsed' (mean of exit - arrival) where the ranks' clocks do not compare; NULL: not known
  clock_error REAL,            -- most by which two ranks' clocks disagreed in its timed calls, seconds; ranks that came
                               -- no later than that count as on time; 0: one clock; NULL: not known
  alpha REAL,                  -- latency of a message, seconds; NULL: no costs are known, here and below
  beta REAL,                   -- time of one byte on the wire, seconds
  gamma REAL,                  -- time to reduce one byte, seconds
  overhead REAL,               -- by which messages in a row follow each other beyond their bytes, seconds
  release REAL,                -- from when the last byte has left to when the sender knows, seconds
  shared_ports INTEGER,        -- 1: messages at one port share it; 0: they take turns
  inner_alpha REAL,            -- alpha between two ranks of one node, seconds; 0: nodes make no difference
  inner_beta REAL,             -- beta between two ranks of one node, seconds
  node_alpha REAL,             -- of a short call through the memory of a node, seconds; 0: there is none
  node_beta REAL,              -- of one byte that is copied there, seconds
  nodes TEXT,                  -- of the ranks in order, each named by its first rank: '0:8,8:8' where two nodes have 8
                               -- ranks each; '': each rank has one of its own; NULL: not known
  UNIQUE (run, id)
);
INSERT INTO new_communicators
  SELECT number, run, id, name, size, compared_by, clock_error, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         NULL, NULL
  FROM communicators;
DROP TABLE communicators;
ALTER TABLE new_communicators RENAME TO communicators;

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.cycle, keys.calls,
         keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain,
         communicators.compared_by, communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on the database says what calls cost whose ranks read each other's memory.
inline constexpr const char* kSchemaStep8 = R"sql(
DROP VIEW overview;

CREATE TABLE new_communicators (
  -- Communicators of a run that made enough calls to be tuned, with what was probed when they were prepared.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,  -- the run it lived in
  id TEXT NOT NULL,            -- unique within the run
  name TEXT NOT NULL,          -- MPI_Comm_get_name, may be ''
  size INTEGER NOT NULL,       -- ranks
  compared_by TEXT,            -- time that its candidates are compared by: 'post_arrival' (mean exit - last arrival), or
                               -- 'elapsed' (mean of exit - arrival) where the ranks' clocks do not compare; NULL: not known
  clock_error REAL,            -- most by which two ranks' clocks disagreed in its timed calls, seconds; ranks that came
                               -- no later than that count as on time; 0: one clock; NULL: not known
  alpha REAL,                  -- latency of a message, seconds; NULL: no costs are known, here and below
  beta REAL,                   -- time of one byte on the wire, seconds
  gamma REAL,                  -- time to reduce one byte, seconds
  overhead REAL,               -- by which messages in a row follow each other beyond their bytes, seconds
  release REAL,                -- from when the last byte has left to when the sender knows, seconds
  shared_ports INTEGER,        -- 1: messages at one port share it; 0: they take turns
  inner_alpha REAL,            -- alpha between two ranks of one node, seconds; 0: nodes make no difference
  inner_beta REAL,             -- beta between two ranks of one node, seconds
  node_alpha REAL,             -- of a short call through the memory of a node, seconds; 0: there is none
  node_beta REAL,              -- of one byte that is copied there, seconds
  read_alpha REAL,             -- node_alpha of a call whose ranks read each other's memory, seconds; 0: they may not
  read_beta REAL,              -- of one byte that is read there, seconds
  nodes TEXT,                  -- of the ranks in order, each named by its first rank: '0:8,8:8' where two nodes have 8
                               -- ranks each; '': each rank has one of its own; NULL: not known
  UNIQUE (run, id)
);
INSERT INTO new_communicators
  SELECT number, run, id, name, size, compared_by, clock_error, alpha, beta, gamma, overhead, release, shared_ports,
         inner_alpha, inner_beta, node_alpha, node_beta, NULL, NULL, nodes
  FROM communicators;
DROP TABLE communicators;
ALTER TABLE new_communicators RENAME TO communicators;

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.cycle, keys.calls,
         keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain,
         communicators.compared_by, communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

// From this step on the database says what a run spent beside the calls of its keys.
inline constexpr const char* kSchemaStep9 = R"sql(
CREATE TABLE new_runs (
  -- One start of one program.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  id TEXT NOT NULL UNIQUE,     -- text that no other run has
  environment INTEGER NOT NULL REFERENCES environments,  -- where it ran
  program TEXT NOT NULL,       -- file name of the executable
  started INTEGER NOT NULL,    -- seconds since 1970, UTC
  finished INTEGER,            -- seconds since 1970, UTC; NULL: still running, or ended without MPI_Finalize
  hosts TEXT NOT NULL,         -- of the ranks of MPI_COMM_WORLD in order: 'a:8,b:8' where 8 ranks run on a, then 8 on
                               -- b; '': not known
  seconds REAL,                -- seconds from MPI_Init to MPI_Finalize; NULL: not known
  unprepared_calls INTEGER,    -- calls of allreduce on communicators of few calls, which no key has, mean over ranks;
                               -- NULL: not known, as the next two
  unprepared_seconds REAL,     -- time in these, mean over ranks, seconds
  preparing_seconds REAL       -- time of preparing communicators, and of what ranks agreed on, mean over ranks, seconds
);
INSERT INTO new_runs
  SELECT number, id, environment, program, started, finished, hosts, seconds, NULL, NULL, NULL FROM runs;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
CREATE INDEX runs_by_program ON runs (program, environment);
)sql";

// From this step on long lists have strings that stand for many entries in a row, and the database says how much of the
// time in calls was waiting, and for whom.
inline constexpr const char* kSchemaStep10 = R"sql(
DROP VIEW overview;

CREATE TABLE new_decisions (
  -- What was chosen, when, and why.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was decided on
  epoch INTEGER NOT NULL,       -- of the communicator: 0, 1, ...
  call INTEGER NOT NULL,        -- calls of the key made before it
  choice TEXT NOT NULL,         -- algorithm and parameters from here on
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity; "0-99" in it: 0 to 99
  reason TEXT NOT NULL,         -- one or more sentences
  expected REAL,                -- post-arrival time that the cost model expected, seconds; NULL: not known
  measured REAL,                -- time of the choice by communicators.compared_by, seconds; NULL: not measured
  native REAL,                  -- time of native by communicators.compared_by, seconds; NULL: not measured
  UNIQUE (key, epoch, call, choice)
);
INSERT INTO new_decisions SELECT * FROM decisions;

CREATE TABLE new_keys (
  -- What is tuned: a site's calls of one size class, type and operation on one communicator, or those of them that are
  -- special in a repeating sequence. The newest state.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  communicator INTEGER NOT NULL REFERENCES communicators ON DELETE CASCADE,  -- and by it the run
  site INTEGER NOT NULL REFERENCES sites,  -- where the program calls
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  part INTEGER NOT NULL,        -- 1: the special calls of a repeating sequence; 0: the others, or all
  bytes INTEGER NOT NULL,       -- of the latest call
  calls INTEGER NOT NULL,       -- in this run
  exploration_calls INTEGER NOT NULL,  -- those of them made to try a candidate
  seconds REAL,                 -- time in allreduce in this run, mean over ranks, seconds; NULL: no call was timed
  waiting REAL,                 -- part of that until the last rank came, mean over ranks, seconds; NULL: not known
  imbalance REAL,               -- lateness of the latest rank, mean over calls, seconds; NULL: not known
  state TEXT NOT NULL,          -- 'observing', 'exploring', 'settled' or 'passes_through'
  choice TEXT NOT NULL,         -- algorithm and parameters in force: 'ring_segmented:segments=8'
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity; "0-99" in it: 0 to 99
  gain REAL,                    -- time of native / that of the choice, by communicators.compared_by; NULL: not known
  cycle TEXT NOT NULL,          -- which of its site's calls these are: 'every 50th call', 'all but every 50th call'; '':
                                -- all
  outlook TEXT NOT NULL,        -- what plans make of arrivals: 'on_time' (nobody is late), 'predicted' (they follow them)
                                -- or 'unpredictable' (only flags in the call tell who is late); '': not known
  gain_error REAL,              -- standard error of `gain`, a ratio as that is; NULL: not known
  UNIQUE (communicator, site, size_class, type, operation, part)
);
INSERT INTO new_keys
  SELECT number, communicator, site, size_class, type, operation, part, bytes, calls, exploration_calls, seconds, NULL,
         imbalance, state, choice, virtual_ranks, gain, cycle, outlook, gain_error
  FROM keys;

CREATE TABLE new_arrivals (
  -- One rank's lateness, its arrival - the earliest arrival of the call, in one epoch, or in several older ones that were
  -- joined. Of many ranks only those have rows that were late beyond the noise, or among the latest.
  number INTEGER PRIMARY KEY,  -- of this database: 1, 2, ...
  key INTEGER NOT NULL REFERENCES keys ON DELETE CASCADE,  -- what was called
  epoch INTEGER NOT NULL,      -- of the communicator: 0, 1, ...; the latest of those that it tells of
  rank INTEGER NOT NULL,       -- in the communicator
  samples INTEGER NOT NULL,    -- calls that were timed
  mean REAL,                   -- lateness, seconds
  deviation REAL,              -- standard deviation of the lateness, seconds
  predicted REAL,              -- lateness expected in the call after the latest epoch, seconds
  method TEXT NOT NULL,        -- predictor with the least error
  error REAL,                  -- by how much its latest predictions were wrong on average, seconds; NULL: not known
  epochs INTEGER NOT NULL,     -- recorded ones that were joined in it, where they had this rank; 1: as it was recorded
  last INTEGER,                -- samples in which this rank came last, beyond the clocks' error; NULL: not known
  waited REAL,                 -- for it, in all calls in which it came last, mean over ranks, seconds; NULL: not known
  world_rank INTEGER,          -- its rank in MPI_COMM_WORLD; NULL: not known, or of another world
  UNIQUE (key, epoch, rank)
);
INSERT INTO new_arrivals
  SELECT number, key, epoch, rank, samples, mean, deviation, predicted, method, error, epochs, last, NULL, world_rank
  FROM arrivals;

CREATE TABLE new_policies (
  -- What later runs of the program in the same environment start from.
  number INTEGER PRIMARY KEY,   -- of this database: 1, 2, ...
  environment INTEGER NOT NULL REFERENCES environments,  -- where it was learned
  program TEXT NOT NULL,        -- file name of the executable
  run INTEGER REFERENCES runs ON DELETE SET NULL,  -- that wrote it last; NULL: pruned, or imported
  site TEXT NOT NULL,           -- identity as in sites; an imported policy may name one unknown here, or 'any'
  communicator_size INTEGER NOT NULL,  -- ranks
  size_class INTEGER NOT NULL,  -- c: bytes in (2^(c-1), 2^c]; 0: zero bytes or one
  type TEXT NOT NULL,           -- of an element: 'float', 'int32', ...
  operation TEXT NOT NULL,      -- 'sum', 'max', 'user', 'user_noncommutative', ...
  choice TEXT NOT NULL,         -- algorithm and parameters
  virtual_ranks TEXT NOT NULL,  -- JSON list: virtual rank -> rank; [] is the identity; "0-99" in it: 0 to 99
  lateness_ns TEXT NOT NULL,    -- JSON list by virtual rank, nanoseconds; []: all on time; "99*0" in it: 99 times 0
  gain REAL,                    -- time of native / that of the choice; NULL: not known
  compared_by TEXT,             -- time that the gain compares, as in communicators; NULL: not known
  reason TEXT NOT NULL,         -- one or more sentences
  UNIQUE (environment, program, site, communicator_size, size_class, type, operation)
);
INSERT INTO new_policies SELECT * FROM policies;

DROP TABLE policies;
DROP TABLE arrivals;
DROP TABLE decisions;
DROP TABLE keys;
ALTER TABLE new_keys RENAME TO keys;
ALTER TABLE new_arrivals RENAME TO arrivals;
ALTER TABLE new_decisions RENAME TO decisions;
ALTER TABLE new_policies RENAME TO policies;
CREATE INDEX keys_by_site ON keys (site);

-- Keys with the names of what they belong to, the costliest of each run first.
CREATE VIEW overview AS
  SELECT communicators.run AS run,
         keys.number AS key,
         CASE WHEN sites.label <> '' THEN sites.label WHEN sites.symbol <> '' THEN sites.symbol
              ELSE sites.identity END AS site,
         CASE WHEN communicators.name <> '' THEN communicators.name ELSE communicators.id END AS communicator,
         communicators.size AS ranks, keys.bytes, keys.type, keys.operation, keys.cycle, keys.calls,
         keys.exploration_calls, keys.seconds, keys.imbalance, keys.state, keys.choice, keys.gain,
         communicators.compared_by, communicators.clock_error
  FROM keys JOIN communicators ON communicators.number = keys.communicator JOIN sites ON sites.number = keys.site
  ORDER BY communicators.run, keys.seconds DESC, keys.number;
)sql";

inline constexpr std::array kSchemaSteps = {kSchemaStep1, kSchemaStep2, kSchemaStep3, kSchemaStep4, kSchemaStep5,
                                            kSchemaStep6, kSchemaStep7, kSchemaStep8, kSchemaStep9, kSchemaStep10};

}  // namespace starling
