// Plots: each function turns figures of the report into one SVG by Plot. Colours are those of report.css.

const kUnits = [
  { name: "s", seconds: 1 },
  { name: "ms", seconds: 1e-3 },
  { name: "us", seconds: 1e-6 },
  { name: "ns", seconds: 1e-9 },
];

// The unit in which the greatest of these durations is 1 or more.
function unitOf(durations) {
  const greatest = d3.max(durations) ?? 0;
  return kUnits.find((unit) => greatest >= unit.seconds) ?? kUnits.at(-1);
}

function durationText(seconds) {
  const unit = unitOf([seconds]);
  return seconds === 0 ? "0 s" : `${d3.format(".3~r")(seconds / unit.seconds)} ${unit.name}`;
}

// What all plots have in common; `label` is what a screen reader says in a plot's place.
function plot(label, options) {
  const made = Plot.plot({ style: { background: "none", color: "var(--ink)", fontSize: "12px" }, ...options });
  const drawing = made.tagName === "svg" ? made : made.querySelector(":scope > svg");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", label);
  return made;
}

// Times that lie far apart stand on a scale of powers, so that the short ones can be told from each other. Their unit is
// in the label, so that ticks are plain numbers: 0.2, and not 200m.
function timeScale(times, label) {
  const [least, most] = d3.extent(times.filter((time) => time > 0));
  if (!(most > 8 * least)) return { label, zero: true, nice: true, grid: true };
  const domain = [least / 1.6, most * 1.3];
  return { label: `${label} (log)`, type: "log", domain, clamp: true, grid: true, tickSize: 0, tickFormat: "~g" };
}

// Few of the values of a band scale, so that their labels have room.
function fewTicks(values, width, room = 44) {
  const step = Math.max(1, Math.ceil((values.length * room) / width));
  return values.filter((value, index) => index % step === 0);
}

function heat(share) {
  return `color-mix(in oklab, var(--late) ${(4 + 96 * share).toFixed(1)}%, var(--surface))`;
}

function latenessPlot(map, width) {
  const cells = map.ranks.flatMap(({ rank, lateness }) =>
    lateness.map((seconds, index) => ({ rank, epoch: map.epochs[index], seconds })).filter((d) => d.seconds !== null),
  );
  const most = d3.max(cells, (d) => d.seconds) || 1;
  return plot(`Lateness of ${map.ranks.length} ranks over epochs, up to ${durationText(most)}`, {
    width,
    height: 58 + 22 * map.ranks.length,
    marginLeft: 48,
    marginTop: 24,
    marginBottom: 34,
    x: { type: "band", domain: map.epochs, ticks: fewTicks(map.epochs, width), label: "epoch", tickSize: 0 },
    y: { type: "band", domain: map.ranks.map((d) => d.rank), label: "rank", tickSize: 0 },
    color: { type: "identity" },
    marks: [
      Plot.cell(cells, {
        x: "epoch",
        y: "rank",
        fill: (d) => heat(d.seconds / most),
        inset: 0.5,
        title: (d) => `rank ${d.rank}, epoch ${d.epoch}: ${durationText(d.seconds)} late`,
      }),
    ],
  });
}

function latenessScale(map) {
  return durationText(d3.max(map.ranks, (row) => d3.max(row.lateness)) ?? 0);
}

function candidatesPlot(candidates, compared, width) {
  const unit = unitOf(candidates.map((d) => d.high ?? d.time));
  const scaled = (field) => (d) => (d[field] === null ? null : d[field] / unit.seconds);
  const colour = (d) => (d.in_force ? "var(--accent)" : d.choice === "native" ? "var(--native)" : "var(--other)");
  const names = candidates.map((d) => d.choice);
  const margin = Math.min(200, 0.45 * width, 20 + 7 * d3.max(names, (name) => name.length));
  const short = (name) => (7 * name.length > margin ? `${name.slice(0, Math.floor(margin / 7) - 2)}…` : name);
  return plot(`${compared} of ${candidates.length} candidates with their 95% intervals`, {
    width,
    height: 64 + 26 * candidates.length,
    marginLeft: margin,
    marginRight: 24,
    marginBottom: 40,
    x: {
      ...timeScale(candidates.map(scaled("time")), `${compared}, ${unit.name}`),
      ticks: Math.max(3, (width - margin) / 90),
    },
    y: { type: "band", domain: names, label: null, tickSize: 0, tickFormat: short },
    color: { type: "identity" },
    marks: [
      Plot.ruleY(
        candidates.filter((d) => d.low !== null),
        { y: "choice", x1: scaled("low"), x2: scaled("high"), stroke: colour, strokeWidth: 2.5 },
      ),
      Plot.dot(candidates, {
        y: "choice",
        x: scaled("time"),
        fill: colour,
        r: 4.5,
        title: (d) => `${d.choice}: ${durationText(d.time)}${d.in_force ? ", in force" : ""}`,
      }),
    ],
  });
}

function timesPlot(points, inForce, compared, width) {
  const unit = unitOf(points.map((d) => d.time));
  const kindOf = (d) => (d.choice === inForce ? "in force" : d.choice === "native" ? "native" : "others");
  const kinds = ["in force", "native", "others"].filter((kind) => points.some((d) => kindOf(d) === kind));
  const colours = { "in force": "var(--accent)", native: "var(--native)", others: "var(--other)" };
  return plot(`${compared} over epochs, of what is in force, native and others`, {
    width,
    height: 220,
    marginLeft: 52,
    x: { label: "epoch", ticks: Math.max(3, width / 90), tickFormat: "d" },
    y: { ...timeScale(points.map((d) => d.time / unit.seconds), `${compared}, ${unit.name}`), ticks: 5 },
    color: { domain: kinds, range: kinds.map((kind) => colours[kind]), legend: true },
    marks: [
      Plot.dot(points, {
        x: "epoch",
        y: (d) => d.time / unit.seconds,
        stroke: kindOf,
        fill: (d) => (d.trial ? null : kindOf(d)),
        r: 3,
        title: (d) => `epoch ${d.epoch}, ${d.choice}${d.trial ? " (trial)" : ""}: ${durationText(d.time)}`,
      }),
    ],
  });
}

function predictionsPlot(rank, points, width) {
  const unit = unitOf(points.flatMap((d) => [d.predicted, d.came]));
  const lines = points.flatMap((d) => [
    { epoch: d.epoch, time: d.came, kind: "came" },
    { epoch: d.epoch, time: d.predicted, kind: "predicted" },
  ]);
  return plot(`Lateness of rank ${rank} over epochs: what was predicted and what came`, {
    width,
    height: 200,
    marginLeft: 52,
    x: { label: "epoch", ticks: Math.max(3, width / 90), tickFormat: "d" },
    y: { label: `lateness, ${unit.name}`, zero: true, nice: true, grid: true, ticks: 5 },
    color: { domain: ["predicted", "came"], range: ["var(--late)", "var(--accent)"], legend: true },
    marks: ["came", "predicted"].flatMap((kind) => {
      const own = lines.filter((d) => d.kind === kind);
      const line = { x: "epoch", y: (d) => d.time / unit.seconds, stroke: "kind" };
      return [
        Plot.lineY(own, { ...line, strokeWidth: 1.5, strokeDasharray: kind === "predicted" ? "4 3" : null }),
        Plot.dot(own, {
          ...line,
          fill: "kind",
          r: 2.5,
          title: (d) => `epoch ${d.epoch}, ${kind}: ${durationText(d.time)}`,
        }),
      ];
    }),
  });
}

// What the run was busy with, as one bar.
function sharesPlot({ run, allreduce, waiting }, width) {
  const parts = [
    { name: "beside allreduce", seconds: run - allreduce, colour: "var(--other)" },
    { name: "allreduce", seconds: allreduce - waiting, colour: "var(--accent)" },
    { name: "waiting for late ranks", seconds: waiting, colour: "var(--late)" },
  ];
  return plot(`Of ${durationText(run)}: ${parts.map((d) => `${durationText(d.seconds)} ${d.name}`).join(", ")}`, {
    width,
    height: 26,
    margin: 0,
    x: { axis: null, domain: [0, run] },
    color: { domain: parts.map((d) => d.name), range: parts.map((d) => d.colour), legend: true },
    marks: [
      Plot.barX(parts, {
        x: "seconds",
        fill: "name",
        inset: 0.5,
        rx: 2,
        title: (d) => `${d.name}: ${durationText(d.seconds)}`,
      }),
    ],
  });
}

function sparkline(points) {
  const [first, last] = [points.at(0), points.at(-1)];
  const label = `From ${durationText(first[1])} in epoch ${first[0]} to ${durationText(last[1])} in epoch ${last[0]}`;
  return plot(label, {
    width: 110,
    height: 26,
    margin: 3,
    x: { axis: null },
    y: { axis: null, zero: true },
    marks: [
      Plot.areaY(points, { x: "0", y: "1", fill: "var(--accent)", fillOpacity: 0.12 }),
      Plot.lineY(points, { x: "0", y: "1", stroke: "var(--accent)", strokeWidth: 1.3 }),
      Plot.dot([last], { x: "0", y: "1", fill: "var(--accent)", r: 2 }),
    ],
  });
}

// Two runs: what a call of each site took before and after.
function comparedPlot(lines, [before, after], width) {
  const unit = unitOf(lines.flatMap((d) => [d.before, d.after]));
  const ends = lines.flatMap((d) => [
    { name: d.name, time: d.before, run: before },
    { name: d.name, time: d.after, run: after },
  ]);
  const times = ends.map((d) => d.time / unit.seconds);
  const margin = Math.min(240, 0.45 * width);
  const short = (name) => (name.length > margin / 7 ? `${name.slice(0, Math.floor(margin / 7) - 1)}…` : name);
  return plot(`Time per call of ${lines.length} sites in ${before} and ${after}`, {
    width,
    height: 70 + 24 * lines.length,
    marginLeft: margin,
    marginRight: 24,
    marginBottom: 40,
    x: { ...timeScale(times, `time per call, ${unit.name}`), ticks: Math.max(3, (width - margin) / 90) },
    y: { type: "band", domain: lines.map((d) => d.name), label: null, tickSize: 0, tickFormat: short },
    color: { domain: [before, after], range: ["var(--native)", "var(--accent)"], legend: true },
    marks: [
      Plot.link(lines, {
        x1: (d) => d.before / unit.seconds,
        x2: (d) => d.after / unit.seconds,
        y: "name",
        stroke: "var(--other)",
        strokeWidth: 2,
      }),
      Plot.dot(ends, {
        x: (d) => d.time / unit.seconds,
        y: "name",
        fill: "run",
        r: 4.5,
        title: (d) => `${d.name}, ${d.run}: ${durationText(d.time)}`,
      }),
    ],
  });
}

// What one rank does, by the character that `starling simulate --timeline` has for it.
const kDoings = {
  "-": "waits",
  s: "sends",
  r: "receives",
  x: "sends and receives",
  "+": "receives and reduces",
  X: "sends, receives and reduces",
};
const kDoingColours = ["var(--line)", "var(--send)", "var(--receive)", "var(--both)", "var(--reduce)", "var(--accent)"];

// Joins equal characters that follow each other: {rank, doing, from, to} in parts of the line.
function runsOf({ rank, line }) {
  const runs = [];
  for (const [index, character] of [...line].entries()) {
    const last = runs.at(-1);
    const doing = kDoings[character];
    if (last !== undefined && last.doing === doing && last.to === index) last.to = index + 1;
    else if (doing !== undefined) runs.push({ rank, doing, from: index, to: index + 1 });
  }
  return runs;
}

function callPlot({ title, rows }, end, width) {
  const unit = unitOf([end]);
  const time = (place) => (place * end) / rows[0].line.length / unit.seconds;
  const ranks = rows.map((row) => row.rank);
  const height = 46 + Math.min(18, Math.max(7, 420 / rows.length)) * rows.length;
  return plot(`One call of ${rows.length} ranks over ${durationText(end)}, ${title}`, {
    width,
    height,
    marginLeft: 48,
    marginBottom: 36,
    marginTop: 8,
    x: {
      label: `since the first arrival, ${unit.name}`,
      domain: [0, end / unit.seconds],
      ticks: Math.max(3, width / 90),
    },
    y: {
      type: "band",
      domain: ranks,
      ticks: fewTicks(ranks, height - 46, 14),
      label: "rank",
      tickSize: 0,
      padding: 0.15,
    },
    color: { domain: Object.values(kDoings), range: kDoingColours },
    marks: [
      Plot.barX(rows.flatMap(runsOf), {
        y: "rank",
        x1: (d) => time(d.from),
        x2: (d) => time(d.to),
        fill: "doing",
        title: (d) => `rank ${d.rank} ${d.doing}`,
      }),
    ],
  });
}

function callLegend() {
  return Plot.legend({ color: { type: "categorical", domain: Object.values(kDoings), range: kDoingColours } });
}
