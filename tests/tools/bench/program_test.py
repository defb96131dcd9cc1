"""Runs starling-bench under mpirun and reads back what it wrote: program_test.py BENCH RANKS MPIRUN..."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH, RANKS, MPIRUN = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
PRELOAD = Path(BENCH).parents[1] / "lib" / "libstarling_preload.so"
CATALOGUE = ["recursive_doubling", "rabenseifner", "ring", "ring_segmented", "slt", "prr", "reduce_bcast",
             "late_join", "direct", "static_optimal", "local_redirect", "binary_tree", "two_level",
             "topology_tree", "node", "node_read"]
KEEP_ORDER = ["recursive_doubling", "rabenseifner", "slt", "reduce_bcast", "direct", "local_redirect", "binary_tree",
              "node", "node_read"]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="starling-bench-test-")
        self.addCleanup(self.folder.cleanup)
        self.json = Path(self.folder.name) / "records.json"

    def bench(self, *arguments, environment=None):
        command = [*MPIRUN, "-n", str(RANKS), BENCH, *arguments]
        database = {"STARLING_DB": str(Path(self.folder.name) / "tuning.db")}
        return subprocess.run(
            command,
            env={**os.environ, **database, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def results(self, *arguments, environment=None):
        process = self.bench(*arguments, "--json", str(self.json), "--compute", "1ms", environment=environment)
        self.assertEqual(process.returncode, 0, process.stderr + process.stdout)
        records = [json.loads(line) for line in self.json.read_text().splitlines()]
        self.assertEqual(records[0]["record"], "header")
        self.assertEqual(records[0]["ranks"], RANKS)
        for record in records[1:]:
            self.assertEqual(record["wrong_elements"], 0, record)
            self.assertEqual(record["bytes"], 4 * record["count"])
            self.assertLessEqual(record["elapsed_ms"]["min"], record["elapsed_ms"]["p50"])
            self.assertLessEqual(record["elapsed_ms"]["p50"], record["elapsed_ms"]["p99"])
        return records[1:]

    def test_all_algorithms_are_right_at_odd_sizes(self):
        results = self.results("--count", f"0,1,{RANKS + 1},1021", "--iterations", "2", "--pattern", "rand-late",
                               "--delay", "2")  # fmt: skip
        self.assertEqual(len(results), 4 * (len(CATALOGUE) + 2))
        self.assertEqual({record["algorithm"] for record in results}, {*CATALOGUE, "native", "tuned"})
        tuned = [record for record in results if record["algorithm"] == "tuned"]
        self.assertTrue(all("chosen" in record and record["predict"] == "announced" for record in tuned))

    def test_operations_that_do_not_commute_keep_the_order_of_ranks(self):
        results = self.results("--count", "100", "--op", "matrix", "--iterations", "2", "--pattern", "alternate",
                               "--delay", "1")  # fmt: skip
        own = {record["algorithm"] for record in results} - {"native", "tuned"}
        self.assertEqual(own, set(KEEP_ORDER))

    @unittest.skipIf(RANKS not in (2, 7), "the same figures at every number of ranks but one, which has no messages")
    def test_the_model_predicts_what_has_a_schedule(self):
        results = self.results("--count", "1000", "--iterations", "2", "--pattern", "rand-late", "--delay", "2",
                               "--model")  # fmt: skip
        for record in results:
            predicted = record["modelled_ms"]
            self.assertEqual(predicted is None, record["algorithm"] in ("native", "tuned"), record)
            self.assertTrue(predicted is None or predicted > 0, record)

    def test_broadcasts_and_reductions_are_right_at_odd_sizes(self):
        for collective in ("bcast", "reduce"):
            results = self.results("--collective", collective, "--count", f"0,1,{RANKS + 1},1021", "--iterations", "3",
                                   "--pattern", "rand-late", "--delay", "2",
                                   environment={"STARLING_ROOTED_PERIOD": "2", "STARLING_MINIMUM_CALLS": "1"})  # fmt: skip
            self.assertEqual([record["algorithm"] for record in results], 4 * ["native", "planned", "tuned"])
            self.assertEqual({record["collective"] for record in results}, {collective})

    @unittest.skipIf(RANKS not in (1, 3, 8), "the same options at every number of ranks")
    def test_plans_of_broadcasts_and_reductions_follow_what_they_are_told(self):
        # Matrices are combined in the order of ranks, whoever is told to be late.
        for collective, operation, predict in (("bcast", "sum", "perfect"), ("bcast", "sum", "none"),
                                               ("reduce", "sum", "none"), ("reduce", "matrix", "wrong")):  # fmt: skip
            results = self.results("--collective", collective, "--op", operation, "--algorithm", "planned", "--count",
                                   "1000", "--iterations", "2", "--pattern", "ramp", "--delay", "2", "--predict",
                                   predict)  # fmt: skip
            self.assertEqual([record["choice"] for record in results], ["planned"])

    @unittest.skipIf(RANKS not in (1, 4), "the same calls at every number of ranks")
    def test_what_learns_is_measured_from_its_first_call_on_where_asked(self):
        results = self.results("--collective", "bcast", "--algorithm", "tuned", "--count", "64", "--iterations", "6",
                               "--from-first-call")  # fmt: skip
        self.assertEqual(results[0]["warmup_calls"], 0)
        self.assertEqual(len(results[0]["elapsed_each_ms"]), 6)

    @unittest.skipIf(RANKS not in (1, 3), "the same sum at every number of ranks")
    def test_slow_operations_take_their_time(self):
        results = self.results("--algorithm", "ring", "--op", "slow-sum", "--slow-cost", "10us", "--count", "400",
                               "--iterations", "2")  # fmt: skip
        # Each element is combined P - 1 times, by one rank after the other.
        self.assertGreaterEqual(results[0]["elapsed_ms"]["min"], 4.0 * (RANKS - 1) / RANKS * 0.99)

    def test_messages_and_bytes_are_those_of_the_ring(self):
        results = self.results("--algorithm", "ring", "--count", "840", "--iterations", "1", "--beta", "1ns")
        if RANKS == 1:
            self.assertEqual(results[0]["messages_per_rank"], {"mean": 0.0, "max": 0})
            return
        self.assertEqual(results[0]["messages_per_rank"]["max"], 2 * (RANKS - 1))
        self.assertEqual(results[0]["bytes_sent_per_rank"]["max"], 2 * (RANKS - 1) * 4 * 840 // RANKS)
        self.assertEqual(results[0]["ratio_to_ring"], 1.0)

    @unittest.skipIf(RANKS not in (1, 5), "the same options at every number of ranks")
    def test_patterns_and_predictions(self):
        # Every pattern and every prediction, not each with each: what they do to a plan is tested without MPI.
        patterns = ("none", "one-late", f"late:{RANKS}", "gamma", "gaussian", "ramp")
        for pattern, predict in zip(patterns, ("perfect", "none", "wrong", "learned", "perfect", "wrong")):
            late_rank = str(min(1, RANKS - 1))
            results = self.results("--algorithm", "prr,slt", "--count", "64", "--pattern", pattern, "--delay", "1",
                                   "--predict", predict, "--iterations", "2", "--late-rank", late_rank)  # fmt: skip
            self.assertEqual([record["predict"] for record in results], [predict, predict])

    @unittest.skipIf(RANKS != 3, "the same at every number of ranks but one, which leaves no arrivals")
    def test_recorded_arrivals_are_replayed(self):
        self.results("--algorithm", "tuned", "--no-announce", "--count", "100", "--iterations", "4", "--pattern",
                     "staircase", "--delay", "2")  # fmt: skip
        pattern = f"recorded:{self.folder.name}/tuning.db:1"
        replayed = self.results("--algorithm", "ring,native", "--count", "100", "--iterations", "3", "--pattern", pattern)
        self.assertEqual([record["algorithm"] for record in replayed], ["ring", "native"])
        self.assertEqual({record["pattern"] for record in replayed}, {pattern})
        for words, exit_code, sentence in (
            ((pattern[:-1] + "9",), 1, "there is no site 9"),
            ((f"recorded:{self.folder.name}/none.db:1",), 1, "no such file"),
            (("recorded:1",), 2, "write recorded:DATABASE:SITE"),
            ((pattern, "--delay", "3"), 2, "leave it out"),
        ):
            process = self.bench("--algorithm", "ring", "--pattern", *words)
            self.assertEqual(process.returncode, exit_code, process.stderr)
            self.assertIn(sentence, process.stderr)

    @unittest.skipIf(RANKS not in (2, 8), "the same phases at every number of ranks but one, which has none")
    def test_phases_are_summed_up_and_what_learns_is_not_warmed_up(self):
        results = self.results("--algorithm", "ring,tuned", "--count", "64", "--pattern", "phases", "--delay", "1",
                               "--iterations", "8")  # fmt: skip
        second = 1 + RANKS // 2
        for record in results:
            *sums, whole = record["post_arrival_sum_ms"].values()
            self.assertEqual(list(record["post_arrival_sum_ms"]),
                             ["rank_1", f"rank_{second % RANKS}", "nobody", "any_rank", "all"])  # fmt: skip
            self.assertAlmostEqual(sum(sums), whole, places=4)
            self.assertAlmostEqual(whole, 8 * record["post_arrival_ms"]["mean"], places=3)
        self.assertEqual([record["warmup_calls"] for record in results], [1, 0])

    @unittest.skipIf(RANKS not in (1, 5), "the same loop at every number of ranks")
    def test_as_a_program_the_whole_loop_is_timed_and_what_learns_is_not_warmed_up(self):
        results = self.results("--algorithm", "slt,tuned", "--count", "64", "--pattern", "gaussian", "--delay", "1",
                               "--iterations", "8", "--as-program")  # fmt: skip
        self.assertEqual([record["warmup_calls"] for record in results], [1, 0])
        for record in results:
            # A rank computes for a millisecond and more before each call.
            self.assertGreater(record["loop_ms"], 8 * (1 + record["elapsed_ms"]["min"]))

    def test_clocks_that_differ_are_brought_together(self):
        command = [*MPIRUN, "-n", "1", BENCH, "--algorithm", "native", "--count", "10", "--compute", "1ms", "--json",
                   str(self.json), "--quiet"]  # fmt: skip
        if RANKS > 1:
            command += [":", "-n", str(RANKS - 1), "env", "STARLING_CLOCK_OFFSET=1000", *command[len(MPIRUN) + 2 :]]
        process = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(process.returncode, 0, process.stderr)
        header, result = [json.loads(line) for line in self.json.read_text().splitlines()]
        self.assertEqual(header["clock"], "synchronised" if RANKS > 1 else "shared")
        # Clocks that are 1000 s apart would show, and so would an offset of the wrong sign.
        self.assertLess(abs(result["post_arrival_ms"]["mean"]), 500)

    def loops(self, *arguments, environment=None):
        process = self.bench(*arguments, "--json", str(self.json), environment=environment)
        self.assertEqual(process.returncode, 0, process.stderr + process.stdout)
        records = [json.loads(line) for line in self.json.read_text().splitlines()][1:]
        self.assertEqual([record["wrong_elements"] for record in records], [0] * len(records))
        return records

    @unittest.skipIf(RANKS not in (1, 4, 7), "the same loop at every number of ranks")
    def test_calls_back_to_back_are_right_and_as_many_as_suites_make(self):
        for kind in ("float", "char"):
            records = self.loops("--back-to-back", "--pattern", "none", "--type", kind, "--count", "0,1,1000,4Ki")
            size = {"float": 4, "char": 1}[kind]
            self.assertEqual([record["bytes"] for record in records], [count * size for count in (0, 1, 1000, 4096)])
            self.assertEqual([record["calls"] for record in records], [1000, 1000, 1000, 1000 if size == 1 else 100])
            self.assertTrue(all(record["least_us"] <= record["mean_us"] <= record["most_us"] for record in records))

    @unittest.skipIf(RANKS not in (1, 2, 4), "the same loops at every number of ranks")
    def test_overhead_is_measured_under_the_preload_library(self):
        environment = {"LD_PRELOAD": str(PRELOAD), "STARLING_PREPARE": "always"}
        records = self.loops("--overhead", "--count", "0,2", "--sites", "3", "--iterations", "4", "--warmup", "50",
                             "--calls", "30", environment=environment)  # fmt: skip
        self.assertEqual([(record["pairs"], record["calls"]) for record in records], [(4, 30), (4, 30)])
        self.assertTrue(all(record["copy_us"] > 0 and record["flags_us"] > 0 for record in records))
        self.assertTrue(all(record["ratio_25"] <= record["ratio"] <= record["ratio_75"] for record in records))

    @unittest.skipIf(RANKS != 4, "the same file at every number of ranks")
    def test_csv_has_a_line_for_each_result(self):
        path = Path(self.folder.name) / "results.csv"
        process = self.bench("--algorithm", "ring,native", "--count", "8,16", "--compute", "1ms", "--csv", str(path))
        self.assertEqual(process.returncode, 0, process.stderr)
        rows = list(csv.DictReader(path.open()))
        self.assertEqual([row["count"] for row in rows], ["8", "8", "16", "16"])
        self.assertEqual(rows[0]["wrong_elements"], "0")
        self.assertIn("POST-ARRIVAL", process.stdout)

    @unittest.skipIf(RANKS != 2, "the same sentences at every rank count")
    def test_bad_input_gets_one_clear_error(self):
        for arguments, sentence in (
            (["--algorithm", "rong"], "no algorithm"),
            (["--collective", "bcast", "--algorithm", "ring"], "native, planned or tuned"),
            (["--algorithm", "native:ompi"], "simulated cluster only"),
            (["--count", "1Q"], "unknown multiplier"),
            (["--delay", "soon"], "milliseconds"),
            (["--pattern", "late:0"], "late:2"),
            (["--pattern", f"late:{RANKS + 1}"], f"only {RANKS} ranks"),
            (["--op", "matrix", "--type", "float"], "leave out --type"),
            (["--param", "segments"], "NAME=VALUE"),
            (["--json", "/nowhere/x.json"], "/nowhere/x.json"),
            (["--iterations", "0"], "--iterations"),
            (["--overhead"], "start it with the preload library"),
            (["--calls", "5"], "--calls requires --overhead"),
            (["--overhead", "--calls", "0"], "--calls"),
            (["--back-to-back", "--pattern", "ramp"], "leave out --pattern ramp"),
        ):
            with self.subTest(arguments=arguments):
                process = self.bench(*arguments)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn(sentence, process.stderr)
                self.assertEqual(process.stderr.count("starling-bench: "), 1, process.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
