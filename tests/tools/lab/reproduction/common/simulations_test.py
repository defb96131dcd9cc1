"""The commands of simulated runs."""
import unittest

from reproduction.common.simulations import KI, count_text, simulation


class Simulations(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
