"""The parts of tools/lab/reproduce that compute and write; nothing is measured here."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
LAB = Path(__file__).resolve().parents[2] / "tools" / "lab"
sys.path.insert(0, str(LAB / "reproduction"))

import bound_emulated  # noqa: E402
import bound_runs  # noqa: E402
import candidates  # noqa: E402
import emulated_runs  # noqa: E402
import index  # noqa: E402
import markdown  # noqa: E402
import model  # noqa: E402
import model_emulated  # noqa: E402
import model_results  # noqa: E402
import model_runs  # noqa: E402
import model_statistics  # noqa: E402
import model_tables  # noqa: E402
import papers  # noqa: E402
import plots  # noqa: E402
import proficz_runs  # noqa: E402
import quantities  # noqa: E402
import records  # noqa: E402
from deviations import Cell, Deviations  # noqa: E402
from simulations import KI, count_text, simulation  # noqa: E402


def result(choice="ring", count=1024, delay=0.0, wrong=0):
    return {
        "record": "result", "algorithm": choice.split(":")[0], "choice": choice, "count": count, "delay_ms": delay,
        "wrong_elements": wrong,
    }  # fmt: skip


HEADER = {"record": "header", "version": "0.1.0"}


class Quantities(unittest.TestCase):
    def test_deviation_is_relative_to_the_paper(self):
        self.assertAlmostEqual(quantities.deviation(110, 100), 0.1)
        self.assertAlmostEqual(quantities.deviation(50, 100), -0.5)

    def test_a_figure_is_met_within_15_percent_on_either_side(self):
        self.assertTrue(quantities.is_met(114.9, 100))
        self.assertTrue(quantities.is_met(85.1, 100))
        self.assertFalse(quantities.is_met(115.1, 100))
        self.assertFalse(quantities.is_met(84.9, 100))

    def test_share_is_one_at_the_bound_and_none_at_the_ring_and_negative_beyond(self):
        self.assertEqual(quantities.share_of_saving(60, 30, 30), 1)
        self.assertEqual(quantities.share_of_saving(60, 60, 30), 0)
        self.assertEqual(quantities.share_of_saving(60, 90, 30), -1)

    def test_there_is_no_share_where_the_ring_is_at_the_bound(self):
        self.assertIsNone(quantities.share_of_saving(30, 20, 30))

    def test_share_of_the_papers_prr_at_1000_ms_is_0_46(self):
        late = [quantities.one_late_post_arrival(time, 1000, 48) for time in (1047.0, 1031.5)]
        bound = quantities.wire_bound(4 * 2**20, 125e6)
        self.assertAlmostEqual(quantities.share_of_saving(late[0], late[1], bound), 0.45, places=2)

    def test_ring_wire_time_is_almost_twice_the_bound(self):
        self.assertAlmostEqual(quantities.ring_wire_time(2, 1e6, 1e9), 1.0)
        self.assertAlmostEqual(quantities.ring_wire_time(4, 1e6, 1e9), 1.5)

    def test_bound_grows_with_the_ranks_that_come_last_together(self):
        self.assertAlmostEqual(quantities.late_bound(4, 1, 10000, 1e6, 1e9), 1.0)
        self.assertAlmostEqual(quantities.late_bound(4, 2, 10000, 1e6, 1e9), 1.25)
        self.assertAlmostEqual(quantities.late_bound(4, 3, 10000, 1e6, 1e9), 1.5)
        self.assertAlmostEqual(quantities.late_bound(4, 4, 10000, 1e6, 1e9), 1.5)

    def test_a_delay_hides_no_more_than_itself(self):
        self.assertAlmostEqual(quantities.late_bound(4, 0, 0, 1e6, 1e9), 1.5)
        self.assertAlmostEqual(quantities.late_bound(4, 1, 0.2, 1e6, 1e9), 1.3)
        self.assertAlmostEqual(quantities.late_bound(4, 1, 0.6, 1e6, 1e9), 1.0)

    def test_implied_ring_holds_the_time_that_was_rounded(self):
        ring, other = 276.4, 246.8
        low, high = quantities.implied_ring(round(other - ring, 1), round(ring / other, 2))
        self.assertTrue(low <= ring <= high)
        self.assertLess(high - low, 25)

    def test_no_more_is_saved_than_the_delay_and_what_was_saved_without_it(self):
        self.assertEqual(quantities.most_saving(5.0, -1.0), 6.0)
        self.assertEqual(quantities.most_saving(5.0, 1.0), 4.0)

    def test_no_ring_is_implied_by_a_speedup_of_1_00(self):
        self.assertIsNone(quantities.implied_ring(-0.9, 1.00))


class Markdown(unittest.TestCase):
    def test_table_has_a_rule_and_dashes_for_what_is_missing(self):
        text = markdown.table(["", "0 ms"], [["ring", 66.1], ["tuned", None]])
        self.assertEqual(text, "|  | 0 ms |\n| --- | ---: |\n| ring | 66.1 |\n| tuned | - |")

    def test_table_refuses_a_row_of_another_length(self):
        with self.assertRaises(ValueError):
            markdown.table(["", "0 ms"], [["ring", 1, 2]])

    def test_numbers_that_round_to_zero_have_no_sign(self):
        self.assertEqual(markdown.signed_ms(-0.04), "0.0")
        self.assertEqual(markdown.signed_percent(-0.0004), "0.0 %")
        self.assertEqual(markdown.percent(-0.004), "0 %")
        self.assertEqual(markdown.percent(-0.0004, 1), "0.0 %")
        self.assertEqual(markdown.signed_percent(0.046), "+4.6 %")

    def test_milliseconds_have_three_digits_at_least(self):
        self.assertEqual([markdown.ms(value) for value in (4.213, 66.1, 1047.0)], ["4.21", "66.1", "1047.0"])

    def test_a_range_of_times_that_read_alike_is_one_time(self):
        self.assertEqual(markdown.ms_range([43.11, 43.08]), "43.1")
        self.assertEqual(markdown.ms_range([4.1, 43.08, 9.0]), "4.10 to 43.1")

    def test_wrapped_lines_are_short_and_keep_code_whole(self):
        code = "`tools/lab/simulate -n 48 -- --algorithm ring`"
        text = markdown.wrap("word " * 21 + code + " end")
        self.assertLessEqual(max(map(len, text.splitlines())), markdown.WIDTH)
        self.assertIn(code, text)


class DeviationText(unittest.TestCase):
    CELLS = [
        Cell("Table 3", "prr", "elapsed", "0 ms", 120, 100),
        Cell("Table 3", "prr", "elapsed", "1 ms", 101, 100),
        Cell("Table 3", "prr", "elapsed", "5 ms", 70, 100),
    ]

    def collected(self, reasons):
        deviations = Deviations(reasons)
        for cell in self.CELLS:
            deviations.compare(cell)
        return deviations

    def test_only_what_was_not_met_is_told_with_its_range_and_reason(self):
        deviations = self.collected({("Table 3", "prr", None): "Because."})
        self.assertEqual(deviations.met(), (1, 3))
        self.assertEqual(
            deviations.sentences(), ["**Table 3, prr**, elapsed at 0 ms, 5 ms: -30.0 % to +20.0 %. Because."]
        )
        self.assertEqual(deviations.unexplained(), [])

    def test_the_nearest_reason_is_taken(self):
        reasons = {("Table 3", None, None): "far", ("Table 3", "prr", "elapsed"): "near"}
        self.assertTrue(self.collected(reasons).sentences()[0].endswith("near"))

    def test_a_row_without_a_reason_is_named(self):
        deviations = self.collected({})
        self.assertEqual(deviations.unexplained(), [("Table 3", "prr", "elapsed")])
        self.assertTrue(deviations.sentences()[0].endswith("Not explained yet."))


class Records(unittest.TestCase):
    RUN = records.Run(("tools/lab/simulate", "-n", "4"), "no-such-program")

    def test_key_depends_on_words_and_context_alone(self):
        same = records.Run(self.RUN.words, "other", memory=7)
        self.assertEqual(self.RUN.key(), same.key())
        self.assertNotEqual(self.RUN.key(), records.Run((*self.RUN.words, "-q"), "no-such-program").key())
        self.assertNotEqual(self.RUN.key(), records.Run(self.RUN.words, "no-such-program", "-n 8").key())
        self.assertNotEqual(records.Run(("ab", "c"), "").key(), records.Run(("a", "bc"), "").key())

    def test_what_was_stored_is_loaded_unless_fresh(self):
        with tempfile.TemporaryDirectory() as folder:
            records.Cache(folder).store(self.RUN, "build", [HEADER, result(count=7, delay=5.0)])
            outcome = records.Cache(folder).load(self.RUN)
            self.assertEqual(outcome.find("ring", 7, 5)["count"], 7)
            self.assertEqual(outcome.build, "build")
            self.assertIsNone(records.Cache(folder, fresh=True).load(self.RUN))
            self.assertEqual([path.suffix for path in Path(folder).iterdir()], [".json"])

    def test_a_fresh_cache_knows_what_it_measured_itself(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = records.Cache(folder, fresh=True)
            cache.store(self.RUN, "", [HEADER, result()])
            self.assertIsNotNone(cache.load(self.RUN))

    def test_a_damaged_record_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = records.Cache(folder)
            cache.path(self.RUN).write_text("{", encoding="utf-8")
            with self.assertRaisesRegex(records.RunError, "remove it"):
                cache.load(self.RUN)

    def test_wrong_sums_are_no_record(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(records.RunError, "wrong sums of slt"):
                records.Cache(folder).store(self.RUN, "", [HEADER, result("slt", wrong=3)])
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_results_are_found_with_and_without_parameters(self):
        outcome = records.Outcome(HEADER, [result("slt:segments=8"), result("slt"), result("prr:tau_ns=5")], "", "")
        self.assertEqual(outcome.find("slt")["choice"], "slt")
        self.assertEqual(outcome.find("slt:segments=8")["choice"], "slt:segments=8")
        self.assertEqual(outcome.find("prr")["choice"], "prr:tau_ns=5")
        with self.assertRaises(KeyError):
            outcome.find("ring")

    def test_a_failing_run_does_not_stop_the_others(self):
        failing = records.Run((sys.executable, "-c", "import sys; sys.exit('no such cluster')"), "any")
        writing = records.Run(
            (sys.executable, "-c", f"import json, sys; print(json.dumps({HEADER!r}), file=open(sys.argv[2], 'w'))"),
            "any",
        )
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", STARLING_BUILD=folder):
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin" / "any").touch()
            cache = records.Cache(folder)
            failures = records.attempt([failing, writing], cache)
            self.assertEqual(len(failures), 1)
            self.assertIn("no such cluster", failures[0])
            self.assertEqual(cache.load(writing).header, HEADER)
            with self.assertRaises(records.RunError):
                records.measure([failing, writing], cache)

    def test_no_run_is_tried_without_its_program(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(records.RunError, "no-such-program is not built: run `tools/setup"):
                records.attempt([self.RUN], records.Cache(folder))

    def test_one_run_may_take_more_memory_than_there_is(self):
        gate = records.MemoryGate(limit=10)
        gate.enter(100)
        gate.leave(100)
        self.assertEqual(gate.used, 0)


class Commands(unittest.TestCase):
    def test_counts_have_the_largest_unit_that_fits(self):
        self.assertEqual([count_text(count) for count in (1000, 128 * KI, KI * KI)], ["1000", "128Ki", "1Mi"])

    def test_simulation_is_the_command_that_a_user_types(self):
        network = ("--latency", "1us")
        run = simulation(4, ("ring", "prr"), 2048, "one-late", (0, 0.5), ("--seed", "2"), network, "double")
        self.assertEqual(
            run.text(),
            "tools/lab/simulate -n 4 --latency 1us -- --algorithm ring,prr --count 2Ki --type double "
            "--pattern one-late --delay 0,0.5 --seed 2",
        )

    def test_emulated_pipeline_has_16_segments_per_host(self):
        choices = [row.choice for setup in emulated_runs.SETUPS for row in emulated_runs.rows(setup)]
        self.assertIn("slt:segments=128,window=8", choices)
        self.assertIn("slt:segments=256,window=8", choices)

    def test_no_two_runs_of_a_document_share_a_record(self):
        runs = [*proficz_runs.fixed_runs(), *proficz_runs.tuned_runs(), *bound_runs.all_runs()]
        for setup in emulated_runs.SETUPS:
            runs += [*emulated_runs.together_runs(setup), *emulated_runs.single_runs(setup)]
            runs += [case.run() for case in bound_emulated.cases(setup)]
        distinct = set(runs)
        self.assertEqual(len({run.key() for run in distinct}), len(distinct))


class ModelStatistics(unittest.TestCase):
    MEASURED = {"ring": 10.0, "slt": 12.0, "prr": 11.0, "direct": 30.0}

    def test_equal_values_share_the_mean_of_their_places(self):
        self.assertEqual(model_statistics.places([5, 1, 5, 7]), [2.5, 1, 2.5, 4])

    def test_correlation_is_that_of_the_orders(self):
        scaled = {name: time**2 for name, time in self.MEASURED.items()}
        reversed_order = {name: -time for name, time in self.MEASURED.items()}
        self.assertAlmostEqual(model_statistics.rank_correlation(scaled, self.MEASURED), 1)
        self.assertAlmostEqual(model_statistics.rank_correlation(reversed_order, self.MEASURED), -1)
        exchanged = self.MEASURED | {"ring": 11.0, "prr": 10.0}
        self.assertAlmostEqual(model_statistics.rank_correlation(exchanged, self.MEASURED), 0.8)

    def test_there_is_no_correlation_where_there_is_no_order(self):
        self.assertIsNone(model_statistics.rank_correlation({"ring": 1, "slt": 1}, {"ring": 1, "slt": 2}))
        self.assertIsNone(model_statistics.rank_correlation({"ring": 1}, {"ring": 1}))

    def test_loss_is_that_of_the_choice_however_wrong_its_time(self):
        doubled = {name: 2 * time for name, time in self.MEASURED.items()}
        self.assertEqual(model_statistics.loss(doubled, self.MEASURED), 0)
        self.assertAlmostEqual(model_statistics.loss({**doubled, "slt": 1.0}, self.MEASURED), 0.2)

    def test_several_tries_lose_what_the_best_of_them_loses(self):
        predicted = {"ring": 4, "slt": 2, "prr": 3, "direct": 1}
        losses = [model_statistics.loss(predicted, self.MEASURED, tries) for tries in (1, 2, 3, 4, 9)]
        for found, expected in zip(losses, (2, 0.2, 0.1, 0, 0)):
            self.assertAlmostEqual(found, expected)


class ModelResults(unittest.TestCase):
    CASE = model_runs.Case(8, 16 * KI, "one-late", 10, None)
    VALUES = {
        "alpha_us": 4.0, "overhead_us": 0.5, "release_us": 3.5, "beta_ns": 8.0, "gamma_ns": 0.0, "shared": True,
    }  # fmt: skip

    def written(self, module, cases):
        """The document, as if the ring had always been fastest and slt been predicted to be."""
        header = {**HEADER, "mpi": "SMPI Version 3.32. Copyright", "model": self.VALUES}
        times = {"ring": (2.0, 3.0), "slt:segments=8": (2.5, 2.4)}
        results = [
            {**result(name, delay=delay), "post_arrival_ms": {"mean": time, "p50": time}, "modelled_ms": predicted}
            for delay in {case.delay for case in cases}
            for name, (time, predicted) in times.items()
        ]
        outcome = records.Outcome(header, results, "2026-01-01", "")
        cache = mock.Mock(load=lambda run: outcome)
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(records, "measure", return_value=[outcome]):
            runs, _ = module.write(Path(folder), cache, 1)
            self.assertEqual(runs, model_runs.runs_of(cases))
            return (Path(folder) / module.FILE).read_text(encoding="utf-8")

    @mock.patch.object(candidates, "of_call", return_value=("ring", "slt:segments=8"))
    def test_documents_have_every_case_and_say_what_loses(self, _):
        for module, cases in (
            (model, model_runs.simulated_cases()), (model_emulated, model_runs.emulated_cases())
        ):  # fmt: skip
            with self.subTest(module=module):
                text = self.written(module, cases)
                for case in cases:
                    self.assertIn(f"| {case.text()} | -1.00 | 25.0 % | `slt` | `ring` | 2.00 |", text)
                self.assertIn("`slt` 2.50 (-4.0 %) | `ring` 2.00 (+50.0 %)", text)
                self.assertIn(model_runs.runs_of(cases)[0].text(), text)

    def comparison(self, predicted, measured):
        lines = [
            {"choice": name, "delay_ms": 10.0, "post_arrival_ms": {"mean": time}, "modelled_ms": predicted[name]}
            for name, time in measured.items()
        ]
        other = {"choice": "ring", "delay_ms": 1.0, "post_arrival_ms": {"mean": 9}, "modelled_ms": 9}
        outcome = records.Outcome(HEADER, [other, *lines], "", "")
        return model_results.compare(self.CASE, outcome, "mean")

    def test_a_case_has_the_results_of_its_delay(self):
        found = self.comparison({"ring": 2, "slt:segments=8": 3}, {"ring": 4, "slt:segments=8": 3})
        self.assertEqual(found.measured, {"ring": 4, "slt:segments=8": 3})
        self.assertEqual((found.predicted_best(), found.best()), ("ring", "slt:segments=8"))
        self.assertAlmostEqual(found.error("ring"), -0.5)

    def test_a_summary_counts_what_is_within_the_aim(self):
        good = self.comparison({"ring": 2, "slt": 3}, {"ring": 4, "slt": 5})
        bad = self.comparison({"ring": 2, "slt": 3}, {"ring": 4, "slt": 3.2})
        found = model_results.summarise([good, bad], 0.03)
        self.assertEqual((found.cases, found.good), (2, 1))
        self.assertAlmostEqual(found.median_loss, 0.125)
        self.assertAlmostEqual(found.worst_loss, 0.25)
        self.assertEqual(found.worst_after_tries, 0)
        self.assertEqual(model_results.worst_first([good, bad], 0.03), [bad])

    def test_values_of_the_model_are_told_with_their_range(self):
        others = ({}, {"alpha_us": 5.0, "shared": False})
        outcomes = [records.Outcome({"model": self.VALUES | other}, [], "", "") for other in others]
        self.assertEqual(
            model.model_text(outcomes),
            "alpha 4 to 5 us, overhead 0.5 us, release 3.5 us, beta 8 ns per byte, gamma 0 ns per byte; ports shared "
            "in 1 of 2 runs",
        )

    def test_errors_are_kept_by_row_whatever_its_parameters(self):
        one = self.comparison({"slt:segments=8": 2}, {"slt:segments=8": 4})
        other = self.comparison({"slt:segments=9": 3}, {"slt:segments=9": 2})
        self.assertEqual(
            model_results.errors_by_row([one, other]), {"slt": [(-0.5, self.CASE), (0.5, self.CASE)]}
        )
        document = markdown.Document("title")
        model_tables.row_table(document, [one, other])
        text = document.render()
        self.assertIn("| `slt` | 0.0 % | -50.0 % | +50.0 % | 8 ranks, 16Ki floats, `one-late` 10 ms |", text)
        self.assertIn("Of 2 predictions 0 (0 %) are within 1 %.", text)

    def test_a_case_that_loses_says_who_was_taken_for_whom(self):
        bad = self.comparison({"ring": 2, "slt:segments=8": 3}, {"ring": 4, "slt:segments=8": 3.2})
        document = markdown.Document("title")
        model_tables.worst_table(document, [bad], 0.03)
        self.assertIn("| 25.0 % | `ring` 4.00 (-50.0 %) | `slt` 3.20 (-6.2 %) |", document.render())
        model_tables.worst_table(document, [], 0.03)
        self.assertIn("No case loses 3 % or more.", document.render())


class Papers(unittest.TestCase):
    def test_every_row_has_a_figure_for_every_delay(self):
        for row in papers.PROFICZ_TABLE_3.values():
            self.assertEqual(len(row), len(papers.PROFICZ_DELAYS))
        for pattern in proficz_runs.PATTERNS:
            for size in papers.PROFICZ_SIZES:
                for row in papers.PROFICZ_TABLE_4[pattern, size]:
                    self.assertEqual(len(row), len(papers.PROFICZ_DELAYS))
        for row in papers.MARENDIC_TABLE_1.values():
            self.assertEqual(len(row), len(papers.MARENDIC_DELAYS))


class Index(unittest.TestCase):
    def test_a_document_that_is_not_there_is_not_linked(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "proficz-2018.md").write_text("", encoding="utf-8")
            index.write(folder)
            text = (folder / index.FILE).read_text(encoding="utf-8")
            self.assertIn("[proficz-2018.md](proficz-2018.md)", text)
            self.assertIn("emulated-cluster.md: not made yet", text)


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        """What is said to arguments that are refused."""
        process = subprocess.run(
            [sys.executable, str(LAB / "reproduce"), *arguments], capture_output=True, text=True, check=False
        )
        self.assertEqual(process.returncode, 2, process.stderr)
        return process.stderr

    def test_an_unknown_document_is_refused_and_the_known_ones_are_named(self):
        known = "proficz, marendic, bound, model, cluster, bound-cluster, model-cluster and all"
        self.assertIn(f"'nonsense' is none of {known}", self.refused("nonsense"))

    def test_no_jobs_are_refused(self):
        self.assertIn("--jobs 0: give 1 or more", self.refused("--jobs", "0"))

    def test_an_output_that_cannot_be_made_is_told(self):
        process = subprocess.run(
            [sys.executable, str(LAB / "reproduce"), "cluster", "--output", "/dev/null/folder"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(process.returncode, 1)
        self.assertIn("/dev/null/folder" if plots.is_available() else plots.PACKAGE, process.stderr)
        self.assertEqual(len(process.stderr.splitlines()), 1)


@unittest.skipUnless(plots.is_available(), f"there is no {plots.PACKAGE}")
class Plots(unittest.TestCase):
    def drawn(self, folder, bound=5):
        lines = [
            plots.Line("ring", [0, 1], [10, 20], [(9, 11), (18, 22)]),
            plots.Line("paper, ring", [0, 1], [12, 21], is_paper=True, like="ring"),
        ]
        path = Path(folder) / "plot.svg"
        plots.draw([plots.Panel("title", "delay, ms", "time, ms", lines, categories=[0, 1], bound=bound)], path)
        return path.read_bytes()

    def test_the_same_plot_has_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.drawn(folder), self.drawn(folder))

    def test_a_bound_may_be_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(folder, plots.Line("least", [0, 1], [5, 6])).decode()
            self.assertIn(">least</text>", text)
            self.assertNotIn("bound n beta", text)

    def test_text_stays_text(self):
        with tempfile.TemporaryDirectory() as folder:
            text = self.drawn(folder).decode()
            for part in ("delay, ms", "time, ms", "ring", "paper, ring", "bound n beta"):
                self.assertIn(f">{part}</text>", text)


if __name__ == "__main__":
    unittest.main()
