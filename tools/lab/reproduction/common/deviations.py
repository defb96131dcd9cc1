"""Where a paper's figures were not met, and why: collected while tables are made, told in sentences."""
import dataclasses

from reproduction.common import quantities
from reproduction.common.markdown import signed_percent


@dataclasses.dataclass(frozen=True)
class Cell:
    """One figure of a table that has a counterpart in a paper."""

    table: str
    row: str
    quantity: str
    setting: str  # the column, as "5 ms"
    ours: float
    paper: float


def amount(cells):
    """Of cells of one row and quantity that were not met."""
    found = [quantities.deviation(cell.ours, cell.paper) for cell in cells]
    text = signed_percent(found[0])
    if len(found) > 1:
        text = f"{signed_percent(min(found))} to {signed_percent(max(found))}"
    return f"{cells[0].quantity} at {', '.join(cell.setting for cell in cells)}: {text}"


class Deviations:
    """`reasons` maps (table, row, quantity) to why that row deviates; the last two may be None for any."""

    def __init__(self, reasons):
        self.reasons = reasons
        self.cells = []

    def compare(self, cell):
        self.cells.append(cell)

    def met(self):
        """How many figures were met, of how many."""
        return sum(quantities.is_met(cell.ours, cell.paper) for cell in self.cells), len(self.cells)

    def reason(self, cell):
        for key in ((cell.table, cell.row, cell.quantity), (cell.table, cell.row, None), (cell.table, None, None)):
            if key in self.reasons:
                return self.reasons[key]
        return None

    def unexplained(self):
        """Rows that deviate, and for which there is no reason."""
        missed = [cell for cell in self.cells if not quantities.is_met(cell.ours, cell.paper)]
        return list(dict.fromkeys((cell.table, cell.row, cell.quantity) for cell in missed if not self.reason(cell)))

    def sentences(self):
        """One for each row that has figures that were not met, or one for each of its quantities where reasons
        differ."""
        rows = {}
        for cell in self.cells:
            if not quantities.is_met(cell.ours, cell.paper):
                reason = self.reason(cell) or "Not explained yet."
                rows.setdefault((cell.table, cell.row, reason), {}).setdefault(cell.quantity, []).append(cell)
        return [
            f"**{table}, {row}**, {'; '.join(amount(cells) for cells in by_quantity.values())}. {reason}"
            for (table, row, reason), by_quantity in rows.items()
        ]
