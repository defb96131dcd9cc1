"""Made-up times of loops."""
from reproduction.harmless import runs as plan


def times_of(plain, learning, later):
    """By way, the runs of two sizes."""
    return {
        way: [{64: one, 128: 10 * one} for one in of_way]
        for way, of_way in ((plan.PLAIN, plain), (plan.LEARNING, learning), (plan.LATER, later),
                            (plan.AGAIN, plain))
    }
