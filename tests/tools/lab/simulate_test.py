"""What tools/lab/simulate promises: simulate_test.py SIMULATE BUILD_FOLDER"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIMULATE, BUILD = sys.argv[1:3]

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix=".lab" radical="0-1,5" speed="1Gf" bw="1GBps" lat="1us"/>
</platform>
"""


class SimulateTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="starling-simulate-test-")
        self.addCleanup(self.folder.cleanup)

    def simulate(self, *words, prepare="worthwhile", database=":memory:"):
        environment = {**os.environ, "STARLING_BUILD": BUILD, "STARLING_ROOTED_PERIOD": "2", "STARLING_PREPARE": prepare,
                       "STARLING_DB": str(database)}  # fmt: skip
        return subprocess.run(
            [SIMULATE, *words], env=environment, capture_output=True, text=True, timeout=200, check=False
        )

    def results(self, *words):
        process = self.simulate(*words, "--json", "-")
        self.assertEqual(process.returncode, 0, process.stderr)
        header, *results = [json.loads(line) for line in process.stdout.splitlines()]
        return header, results

    def test_two_runs_give_equal_bytes(self):
        words = ("-n", "6", "--", "--algorithm", "all", "--count", "10Ki", "--pattern", "rand-late", "--delay", "3",
                 "--json", "-")  # fmt: skip
        first, second = self.simulate(*words), self.simulate(*words)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertGreater(len(first.stdout), 1000)
        self.assertEqual(first.stdout, second.stdout)

    def test_ring_takes_its_theoretical_time(self):
        header, results = self.results("-n", "8", "--", "--algorithm", "ring", "--count", "1Mi")
        self.assertEqual(header["clock"], "virtual")
        self.assertEqual(header["nodes"], 8)
        expected = 2 * 7 / 8 * 4 * 2**20 * 8e-6  # ms, and below 1% for latencies
        self.assertAlmostEqual(results[0]["post_arrival_ms"]["mean"] / expected, 1.0, delta=0.01)
        self.assertEqual(results[0]["wrong_elements"], 0)

    def test_latency_and_bandwidth_are_those_asked_for(self):
        _, results = self.results("-n", "2", "--bandwidth", "1Gbps", "--latency", "1ms", "--", "--algorithm",
                                  "recursive_doubling", "--count", "1")  # fmt: skip
        self.assertAlmostEqual(results[0]["elapsed_ms"]["mean"], 2.0, delta=0.01)

    def test_the_probe_finds_what_the_network_costs(self):
        header, results = self.results("-n", "5", "--bandwidth", "250MBps", "--latency", "5us", "--", "--algorithm",
                                       "ring,slt:segments=64,direct", "--count", "64Ki", "--pattern", "rand-late",
                                       "--delay", "5", "--iterations", "2", "--model")  # fmt: skip
        model = header["model"]
        self.assertAlmostEqual(model["alpha_us"], 10, delta=0.5)
        self.assertAlmostEqual(model["beta_ns"], 4, delta=0.01)
        # Nothing is buffered there, and all messages of a link share it.
        self.assertAlmostEqual(model["overhead_us"] + model["release_us"], model["alpha_us"], delta=0.5)
        self.assertTrue(model["shared"])
        for record in results:
            self.assertAlmostEqual(record["modelled_ms"] / record["post_arrival_ms"]["mean"], 1, delta=0.05)

    def test_baselines_of_other_libraries_answer(self):
        _, results = self.results("-n", "5", "--", "--algorithm", "native,native:ompi,native:mpich,native:mvapich2",
                                  "--count", "20Ki")  # fmt: skip
        self.assertEqual([record["algorithm"] for record in results][1:],
                         ["native:ompi", "native:mpich", "native:mvapich2"])  # fmt: skip
        self.assertTrue(all(record["wrong_elements"] == 0 for record in results))

    def test_algorithms_of_broadcasts_and_reductions_answer(self):
        for collective, names in (
            ("bcast", ["native", "native:mpich", "native:mvapich2", "native:binomial_tree", "native:ompi_pipeline"]),
            ("reduce", ["native", "native:mpich", "native:mvapich2", "native:binomial", "native:scatter_gather"]),
        ):
            words = ("-n", "8", "--", "--collective", collective, "--count", "2Ki", "--pattern", "one-late", "--delay", "1")
            _, together = self.results(*words, "--algorithm", ",".join(names))
            self.assertEqual([record["algorithm"] for record in together], names)
            self.assertEqual([record["wrong_elements"] for record in together], [0] * len(names))
            # What one rank has selected does not answer the benchmark's own calls of ranks that are ahead.
            for record in together[1:]:
                _, alone = self.results(*words, "--algorithm", record["algorithm"])
                self.assertAlmostEqual(alone[0]["elapsed_ms"]["mean"], record["elapsed_ms"]["mean"], delta=1e-5)

    def test_tuned_finds_the_plans_of_perfect_knowledge(self):
        for collective in ("bcast", "reduce"):
            _, (planned, tuned) = self.results("-n", "8", "--", "--collective", collective, "--algorithm", "planned,tuned",
                                               "--count", "1Ki", "--pattern", "one-late", "--delay", "5")  # fmt: skip
            self.assertAlmostEqual(tuned["elapsed_ms"]["mean"] / planned["elapsed_ms"]["mean"], 1, delta=0.01)

    def test_a_broadcast_without_an_exchange_waits_for_its_first_receiver(self):
        words = ("-n", "8", "--", "--collective", "bcast", "--algorithm", "planned,tuned", "--count", "1Ki", "--pattern",
                 "one-late", "--delay", "5", "--predict", "none", "--iterations", "30", "--from-first-call")  # fmt: skip
        _, (planned, tuned) = self.results(*words)
        self.assertGreater(min(planned["elapsed_each_ms"]), 4)
        self.assertLess(tuned["elapsed_each_ms"][-1], 0.2 * planned["elapsed_each_ms"][-1])
        self.assertEqual((planned["wrong_elements"], tuned["wrong_elements"]), (0, 0))

    # There it is of P (P - 1) messages of P ranks, and `tuned` would not come to an end on many.
    def test_nothing_calls_iallreduce(self):
        program = Path(BUILD) / "bin" / "starling-bench-simulated"
        symbols = subprocess.run(["nm", "-D", program], capture_output=True, text=True, timeout=60, check=True).stdout
        self.assertIn("MPI_Ireduce", symbols)
        self.assertNotIn("MPI_Iallreduce", symbols)

    def test_ranks_may_share_nodes(self):
        header, _ = self.results("-n", "5", "--ranks-per-node", "2", "--", "--algorithm", "ring", "--count", "100")
        self.assertEqual((header["nodes"], header["ranks_per_node"]), (3, 2))

    def test_a_platform_file_names_the_hosts(self):
        platform = Path(self.folder.name) / "platform.xml"
        platform.write_text(PLATFORM)
        header, _ = self.results("-n", "3", "--platform", str(platform), "--", "--algorithm", "ring", "--count", "9")
        self.assertEqual(header["nodes"], 3)
        process = self.simulate("-n", "4", "--platform", str(platform), "--", "--algorithm", "ring")
        self.assertEqual(process.returncode, 2)
        self.assertIn("has 3 hosts", process.stderr)

    def links(self, text):
        folder = Path(self.folder.name)
        file = folder / f"links-{len(list(folder.iterdir()))}.txt"
        file.write_text(text)
        return str(file)

    def test_each_two_ranks_have_a_link_of_their_own(self):
        # 4 MB cross each of the links 0 - 1, 1 - 2 and 2 - 0 in four rounds of a third each: the slowest one decides.
        file = self.links("0 3 1  # rank 0\n3,0,3\n1 3 0\n")
        network = ("--links", file, "--link-bandwidth", "1:1GBps,3:4GBps", "--latency", "1ns")
        _, results = self.results("-n", "3", *network, "--", "--algorithm", "ring", "--count", "1000000")
        self.assertAlmostEqual(results[0]["post_arrival_ms"]["mean"], 4 / 3 * 4, delta=0.01)
        # Pairs do not share links: two ranks that exchange 4 MB have them in 1 ms, whatever the third one does.
        words = ("-n", "2", *network, "--", "--algorithm", "recursive_doubling", "--count", "1000000")
        _, results = self.results(*words)
        self.assertAlmostEqual(results[0]["post_arrival_ms"]["mean"], 1, delta=0.01)

    def test_as_a_program_ranks_do_not_wait_for_each_other_between_calls(self):
        words = ("-n", "4", "--", "--algorithm", "ring,native", "--count", "1000", "--pattern", "rand-late", "--delay",
                 "20", "--compute", "10ms", "--iterations", "30", "--as-program")  # fmt: skip
        _, results = self.results(*words)
        for record in results:
            self.assertEqual(record["wrong_elements"], 0)
            # A rank is computing or in a call: (10 + 20 / 2) ms on average, and the mean elapsed time.
            self.assertAlmostEqual(record["loop_ms"] / 30, 20 + record["elapsed_ms"]["mean"], delta=1)
        self.assertEqual(self.results(*words)[1], results)

    def test_tuned_settles_and_is_right(self):
        _, results = self.results("-n", "4", "--", "--algorithm", "ring,tuned", "--count", "64Ki", "--pattern",
                                  "one-late", "--delay", "20", "--iterations", "3")  # fmt: skip
        tuned = results[1]
        self.assertTrue(tuned["settled"])
        self.assertEqual(tuned["wrong_elements"], 0)
        self.assertLessEqual(tuned["post_arrival_ms"]["mean"], 1.05 * results[0]["post_arrival_ms"]["mean"])

    def test_a_late_rank_becomes_a_leaf_of_broadcasts(self):
        # The first receiver, as in Soga et al. (2007): others receive by way of it.
        words = ("-n", "8", "--", "--collective", "bcast", "--algorithm", "native,tuned", "--count", "1Ki,256Ki",
                 "--pattern", "one-late", "--delay", "50")  # fmt: skip
        _, results = self.results(*words)
        for native, tuned in zip(results[::2], results[1::2]):
            self.assertEqual((native["wrong_elements"], tuned["wrong_elements"]), (0, 0))
            self.assertLess(tuned["elapsed_ms"]["mean"], 0.6 * native["elapsed_ms"]["mean"])
        self.assertEqual(self.results(*words)[1], results)

    def test_a_late_rank_is_merged_last_in_reductions(self):
        words = ("-n", "8", "--", "--collective", "reduce", "--algorithm", "native,tuned", "--count", "16,256Ki",
                 "--pattern", "one-late", "--delay", "50")  # fmt: skip
        _, results = self.results(*words)
        for native, tuned in zip(results[::2], results[1::2]):
            self.assertEqual((native["wrong_elements"], tuned["wrong_elements"]), (0, 0))
            self.assertLess(tuned["post_arrival_ms"]["mean"], 0.75 * native["post_arrival_ms"]["mean"])
        # What arrives last costs one vector's time: 256 Ki floats at 8 ns per byte.
        self.assertLess(results[3]["post_arrival_ms"]["mean"], 1.1 * 4 * 2**18 * 8e-6)

    def test_learned_predictions_come_from_calls_before(self):
        _, results = self.results("-n", "8", "--", "--algorithm", "ring,slt:segments=64", "--count", "256Ki", "--pattern",
                                  "one-late", "--delay", "50", "--predict", "learned")  # fmt: skip
        _, told = self.results("-n", "8", "--", "--algorithm", "ring,slt:segments=64", "--count", "256Ki", "--pattern",
                               "one-late", "--delay", "50")  # fmt: skip
        self.assertGreater(results[1]["iterations"], 1)
        self.assertAlmostEqual(results[1]["post_arrival_ms"]["p50"] / told[1]["post_arrival_ms"]["p50"], 1, delta=0.02)

    def test_no_algorithm_hears_of_a_random_pattern_by_another(self):
        words = ("-n", "8", "--", "--count", "256Ki", "--pattern", "rand-late", "--delay", "50", "--predict", "learned",
                 "--algorithm")  # fmt: skip
        _, alone = self.results(*words, "slt:segments=64")
        _, second = self.results(*words, "ring,slt:segments=64")
        # Virtual time has a start of its own in each, hence nanoseconds.
        for figure in ("mean", "min", "p50", "p99"):
            self.assertAlmostEqual(alone[0]["post_arrival_ms"][figure], second[1]["post_arrival_ms"][figure], delta=1e-4)

    def test_both_simulators_agree(self):
        process = self.simulate("-n", "8", "--cross-check", "--", "--algorithm", "ring,prr,slt,rabenseifner", "--count",
                                "256Ki", "--pattern", "one-late", "--delay", "0,10,100")  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.assertEqual(len(process.stdout.splitlines()), 14)

    def test_what_if_predicts_the_replay_of_recorded_arrivals(self):
        database = Path(self.folder.name) / "tuning.db"
        recorded = self.simulate("-n", "5", "--", "--algorithm", "tuned", "--no-announce", "--iterations", "8", "--count",
                                 "16Ki", "--pattern", "staircase", "--delay", "28", database=database)  # fmt: skip
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        command = [f"{BUILD}/bin/starling", "--db", str(database), "whatif", "1", "--json"]
        asked = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(asked.returncode, 0, asked.stderr)
        (answer,) = json.loads(asked.stdout)
        self.assertEqual(answer["communicator_size"], 5)
        for pattern in answer["patterns"]:
            for lateness, expected in zip(pattern["lateness"], (0, 0, 0.006, 0.019, 0.028)):
                self.assertAlmostEqual(lateness, expected, delta=1e-4)
        predicted = {row["algorithm"]: 1e3 * row["predicted"] for row in answer["algorithms"] if row["predicted"]}
        self.assertGreater(len(predicted), 8)
        words = ("-n", "5", "--", "--algorithm", ",".join(predicted), "--count", "16Ki", "--iterations", "2")
        _, replayed = self.results(*words, "--pattern", f"recorded:{database}:1")
        self.assertEqual(len(replayed), len(predicted))
        for result, (algorithm, time) in zip(replayed, predicted.items()):
            with self.subTest(algorithm=algorithm):
                self.assertAlmostEqual(time / result["post_arrival_ms"]["mean"], 1.0, delta=0.05)
        refused = self.simulate("-n", "4", "--", "--pattern", f"recorded:{database}:1")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("recorded on 5 ranks, and these are 4", refused.stderr)

    def setup_cost(self, *words, prepare="worthwhile"):
        """Of starling-setup-cost, in microseconds: calls on the world, tuned; by number of calls native and tuned."""
        ranks, calls = words[:-1], words[-1]
        process = self.simulate(*ranks, "--program", "starling-setup-cost", "--", "--rounds", "1", "--calls", calls,
                                prepare=prepare)  # fmt: skip
        self.assertEqual(process.returncode, 0, process.stderr)
        lines = process.stdout.splitlines()
        world = [float(line.split()[-1]) for line in lines if line.startswith("# world")]
        rows = [line.split(",") for line in lines if line[0].isdigit()]
        return world, {int(row[0]): (float(row[1]), float(row[2])) for row in rows}

    def test_a_communicator_of_few_calls_costs_little_more(self):
        _, costs = self.setup_cost("-n", "8", "1,3,5")
        for calls, most in ((1, 1.01), (3, 1.01), (5, 1.2)):
            native, tuned = costs[calls]
            self.assertLessEqual(tuned / native, most, f"{calls} calls")

    def test_links_of_one_shape_are_probed_once(self):
        # Two megabytes and a quarter take 18 ms at 125 MB/s.
        world, costs = self.setup_cost("-n", "8", "5", prepare="always")
        self.assertGreater(world[3], 14_000)
        native, tuned = costs[5]
        self.assertGreater(tuned, 1.2 * native)  # it was prepared
        self.assertLess(tuned, native + 1_000)

    def test_preparing_takes_little_more_on_more_ranks(self):
        few, many = (self.setup_cost("-n", ranks, "--ranks-per-node", "8", "1")[0][3] for ranks in ("16", "64"))
        self.assertLess(many, few + 1_000)

    def test_bad_input_gets_one_clear_error(self):
        bandwidths = ("--link-bandwidth", "1:1GBps", "--", "--algorithm", "ring")
        for words, sentence in (
            (["-n", "0", "--"], "1 to 1024"),
            (["-n", "4", "--bandwidth", "fast", "--"], "125MBps"),
            (["-n", "4", "--latency", "2", "--"], "2us"),
            (["-n", "4", "--platform", "/nowhere.xml", "--"], "/nowhere.xml"),
            (["-n", "4", "--ranks-per-node", "0", "--"], "1 or more"),
            (["-n", "4", "--cross-check", "--", "--op", "slow-sum"], "costs nothing"),
            (["-n", "4", "--cross-check", "--", "--json", "x"], "leave out --json"),
            (["-n", "1", "--cross-check", "--"], "two ranks"),
            (["-n", "2", "--cross-check", "--", "--algorithm", "native"], "nothing to compare"),
            (["-n", "4", "--", "--algorithm", "native:nobody"], "native:ompi"),
            (["-n", "4", "--", "--collective", "reduce", "--algorithm", "native:rdb"], "native:scatter_gather"),
            (["-n", "2", "--links", "/nowhere.txt", *bandwidths], "/nowhere.txt is not there"),
            (["-n", "2", "--links", self.links("0 1\n1 x\n"), *bandwidths], "line 2"),
            (["-n", "2", "--links", self.links("0 1\n"), *bandwidths], "no square"),
            (["-n", "2", "--links", self.links("0 1\n2 0\n"), *bandwidths], "ranks 0 and 1"),
            (["-n", "2", "--links", self.links("1 1\n1 0\n"), *bandwidths], "diagonal"),
            (["-n", "2", "--links", self.links("0 7\n7 0\n"), *bandwidths], "7:10GBps"),
            (["-n", "3", "--links", self.links("0 1\n1 0\n"), *bandwidths], "has 2 hosts"),
            (["-n", "2", "--links", self.links("0 1\n1 0\n"), "--"], "go together"),
            (["-n", "2", "--links", self.links("0 1\n1 0\n"), "--link-bandwidth", "1GBps", "--"], "'1GBps'"),
            (["-n", "2", "--links", "/bin/true", *bandwidths], "line 1"),
            (["-n", "2", "--links", self.links("0 1\n1 0\n"), "--link-bandwidth", "1:1GBps,1:2GBps", "--"],
             "two bandwidths"),
            (["-n", "2", "--links", self.links("0 1\n1 0\n"), "--ranks-per-node", "2", *bandwidths], "leave out"),
            (["-n", "4", "--cross-check", "--", "--collective", "bcast"], "--collective allreduce"),
        ):
            with self.subTest(words=words):
                process = self.simulate(*words)
                self.assertEqual(process.returncode, 2, process.stderr)
                self.assertIn(sentence, process.stderr)
        process = subprocess.run([SIMULATE, "-n", "2", "--"], env={**os.environ, "STARLING_BUILD": "/nowhere"},
                                 capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(process.returncode, 2)
        self.assertIn("cmake --build", process.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
