"""What a paper's text says, in our words, and whether our figures bear it out."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Claim:
    place: str  # in the paper
    text: str
    is_met: bool
    found: str  # what our figures say


def sentence(claim):
    verdict = "met" if claim.is_met else "not met"
    return f"{claim.place}: {claim.text}. **{verdict[0].upper()}{verdict[1:]}**: {claim.found}."
