"""How loops are started."""
import unittest

from reproduction.harmless import runs as plan


class Commands(unittest.TestCase):
    def test_counts_follow_from_sizes_and_types(self):
        place = plan.Place(launcher=("mpirun",))
        words = plan.command(place, 4, "float", (4, 1024))
        self.assertEqual(words[words.index("--count") + 1], "1,256")
        words = plan.command(place, 4, "char", (4, 1024))
        self.assertEqual(words[words.index("--count") + 1], "4,1024")

    def test_plain_runs_are_not_preloaded(self):
        place = plan.Place()
        self.assertNotIn("LD_PRELOAD", plan.environment_of(place, plan.PLAIN, "a.db"))
        self.assertNotIn("LD_PRELOAD", plan.environment_of(place, plan.AGAIN, "a.db"))
        self.assertEqual(plan.environment_of(place, plan.LATER, "a.db")["LD_PRELOAD"], str(place.build.library))


if __name__ == "__main__":
    unittest.main()
