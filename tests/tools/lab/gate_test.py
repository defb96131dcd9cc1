"""What tools/lab/gate takes for a change: gate_test.py GATE"""
import importlib.machinery
import importlib.util
import sys
import unittest

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("gate", sys.argv[1])
gate = importlib.util.module_from_spec(importlib.util.spec_from_loader("gate", loader))
loader.exec_module(gate)


class CompareTest(unittest.TestCase):
    def test_a_figure_may_move_by_one_per_cent(self):
        self.assertEqual(gate.compare({"ring": 100.0}, {"ring": 100.9}), [])
        self.assertEqual(gate.compare({"ring": 100.0}, {"ring": 99.1}), [])

    def test_more_is_told_with_both_figures(self):
        (fault,) = gate.compare({"ring": 100.0}, {"ring": 102.0})
        self.assertIn("100.000 ms recorded, 102.000 ms now (+2.0 %)", fault)
        self.assertEqual(len(gate.compare({"ring": 100.0}, {"ring": 98.0})), 1)

    def test_figures_that_come_or_go_are_told(self):
        self.assertEqual(gate.compare({}, {"ring": 1.0}), ["ring: is not recorded"])
        self.assertEqual(gate.compare({"ring": 1.0}, {}), ["ring: is no longer measured"])


class FiguresTest(unittest.TestCase):
    def result(self, choice, count):
        return {"choice": choice, "count": count, "delay_ms": 0.0, "post_arrival_ms": {"mean": 1.0}}

    def test_parameters_and_counts_tell_results_apart(self):
        results = [self.result("slt", 8), self.result("slt:segments=4", 8), self.result("slt", 16)]
        self.assertEqual(len(gate.figures(results)), 3)

    def test_two_of_one_name_are_a_fault_of_the_case(self):
        with self.assertRaises(AssertionError):
            gate.figures([self.result("slt", 8), self.result("slt", 8)])


class CasesTest(unittest.TestCase):
    FIRST = {"ranks": 4, "arguments": ["--algorithm", "ring"], "post_arrival_ms": {"ring": 1.0}}

    def test_a_new_case_comes_last(self):
        new = {**self.FIRST, "ranks": 8}
        self.assertEqual(gate.with_case([self.FIRST], new), [self.FIRST, new])

    def test_a_case_is_recorded_once(self):
        again = {**self.FIRST, "post_arrival_ms": {"ring": 2.0}}
        self.assertEqual(gate.with_case([self.FIRST], again), [again])

    def test_nodes_tell_cases_apart(self):
        per_node = {**self.FIRST, "ranks_per_node": 2}
        cases = gate.with_case([self.FIRST], per_node)
        self.assertEqual(cases, [self.FIRST, per_node])
        self.assertEqual(gate.with_case(cases, per_node), cases)
        (fault,) = gate.faults_of([per_node], [{**per_node, "post_arrival_ms": {"ring": 2.0}}])
        self.assertIn("on 4 ranks, 2 on each node: ring", fault)

    def test_faults_name_the_command_that_shows_them(self):
        now = {**self.FIRST, "post_arrival_ms": {"ring": 2.0}}
        (fault,) = gate.faults_of([self.FIRST], [now])
        self.assertIn("--algorithm ring on 4 ranks: ring: 1.000 ms recorded", fault)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
