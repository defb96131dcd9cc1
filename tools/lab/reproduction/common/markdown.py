"""Markdown text, and how numbers are written in it."""

WIDTH = 120


def ms(value):
    """Three significant digits at least, as 4.21, 66.1, 1047.0."""
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def ms_range(values):
    """Lowest and highest, or one where they read alike."""
    ends = [ms(min(values)), ms(max(values))]
    return " to ".join(dict.fromkeys(ends))


def signed_ms(value):
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def ratio(value, digits=2):
    return f"{value:.{digits}f}"


def percent(value, digits=0):
    """Of a share: 0.46 is 46 %."""
    zero = f"{0:.{digits}f} %"
    whole = f"{100:.{digits}f} %"
    text = f"{100 * value:.{digits}f} %"
    if text == whole and value < 1:  # not quite all
        return percent(value, digits + 1)
    return zero if text == "-" + zero else text


def signed_percent(value):
    """Of a deviation."""
    text = f"{100 * value:+.1f} %"
    return "0.0 %" if text in ("+0.0 %", "-0.0 %") else text


def table(header, rows):
    """The first column is text, the others are numbers. A cell that is None was not measured."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)]]
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"a row of {len(row)} cells under a header of {len(header)}: {row}")
        lines.append(["-" if cell is None else str(cell) for cell in row])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def wrap(text, indent=""):
    """Lines of at most WIDTH characters. What stands in backticks stays on one line."""
    words, open_code = [], False
    for word in text.split():
        if open_code:
            words[-1] += " " + word
        else:
            words.append(word)
        open_code ^= word.count("`") % 2 == 1
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(indent)
        lines[-1] += word if lines[-1] in ("", indent) else " " + word
    return "\n".join(lines)


class Document:
    """A Markdown file, part by part."""

    def __init__(self, title):
        self.parts = [f"# {title}"]

    def heading(self, text):
        self.parts.append(f"## {text}")

    def text(self, text):
        self.parts.append(wrap(text))

    def items(self, texts):
        self.parts.append("\n".join(wrap(f"- {text}", "  ") for text in texts))

    def table(self, title, header, rows):
        if title:
            self.parts.append(f"**{title}**")
        self.parts.append(table(header, rows))

    def code(self, lines):
        self.parts.append("\n".join(["```", *lines, "```"]))

    def commands(self, runs):
        """How the table or plot above was made."""
        self.code(run.text() for run in runs)

    def image(self, text, file):
        self.parts.append(f"![{text}]({file})")

    def render(self):
        return "\n\n".join(self.parts) + "\n"
