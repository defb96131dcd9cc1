// The page: puts together what tables.js and plots.js make, and draws plots when they come into view.

const report = JSON.parse(document.getElementById("figures").textContent);
const main = document.getElementById("report");

// Draws a plot as soon as its place is near what is seen, and anew when the window has another width.
const drawings = new Map();
const views = new IntersectionObserver(
  (entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) draw(entry.target);
  },
  { rootMargin: "600px" },
);

function draw(place) {
  const drawing = drawings.get(place);
  const width = Math.floor(place.clientWidth);
  if (width === 0 || width === drawing.width) return;
  drawing.width = width;
  views.unobserve(place);
  place.replaceChildren(drawing.make(width));
}

function drawAnew() {
  for (const [place, drawing] of drawings) {
    if (drawing.width > 0) draw(place);
  }
}

// Draws at once what is in view, without waiting for the observer: the page is complete when it is first seen.
function drawInView() {
  const seen = [...drawings.keys()].filter((place) => {
    return drawings.get(place).width === 0 && place.getBoundingClientRect().top < window.innerHeight;
  });
  seen.forEach(draw);
}

// `make(width)` returns the plot; `height` keeps room for it.
function drawn(make, height = 0) {
  const place = element("div", { class: "plot", style: `min-height:${height}px` });
  drawings.set(place, { make, width: 0 });
  views.observe(place);
  return place;
}

function list(sentences, name) {
  return element("ul", { class: name }, ...sentences.map((sentence) => element("li", {}, sentence)));
}

function section(title, ...children) {
  return element("section", {}, element("h2", {}, title), ...children);
}

function present(children) {
  return children.filter((child) => child !== null);
}

// A plot with its title, and beside it the table that says the same.
function block(title, plots, tables = []) {
  const sides = [plots, tables].filter((side) => side.length > 0).map((side) => element("div", {}, ...present(side)));
  return element("section", { class: "block" }, element("h4", {}, title), element("div", { class: "sides" }, ...sides));
}

// The figures of a plot as a table, which is made when it is asked for.
function figuresOf(caption, columns, rows) {
  const made = element("details", { class: "data" }, element("summary", {}, "Figures as a table"));
  made.addEventListener("toggle", () => {
    if (made.open && made.children.length === 1) made.append(scrolling(tableElement({ caption, columns, rows })));
  });
  return made;
}

function durationCell(seconds) {
  return [durationText(seconds), seconds];
}

function note(text) {
  return element("p", { class: "note" }, text);
}

function figureCards() {
  const cards = report.figures.map((figure) =>
    element(
      "div",
      { class: "card" },
      element("dt", {}, figure.name),
      element("dd", {}, element("strong", {}, cellContent(figure.cell)), element("span", {}, figure.note)),
    ),
  );
  return element("dl", { class: "cards" }, ...cards);
}

function shares() {
  const [run, allreduce, waiting] = report.figures.map((figure) => cellValue(figure.cell));
  if (run === null || allreduce === null || waiting === null || allreduce > run) return [];
  return [drawn((width) => sharesPlot({ run, allreduce, waiting }, width), 60)];
}

function arrivalBlock(site) {
  if (site.arrivals === null) return block("Who comes late", [note(site.no_arrivals)]);
  const map = site.plots.lateness;
  const bar = element("i", { "aria-hidden": "true" });
  const scale = element("p", { class: "scale" }, "on time ", bar, ` ${latenessScale(map)} late`);
  return block(
    "Who comes late",
    [drawn((width) => latenessPlot(map, width), 58 + 22 * map.ranks.length), scale],
    [scrolling(tableElement(site.arrivals)), site.histogram === null ? null : scrolling(tableElement(site.histogram))],
  );
}

function candidateBlock(site) {
  if (site.candidates === null) return block("What was tried", [note("No candidate was measured.")]);
  const points = site.plots.candidates;
  const drawing = drawn((width) => candidatesPlot(points, site.compared, width), 50 + 26 * points.length);
  return block("What was tried", points.length > 0 ? [drawing] : [], [scrolling(tableElement(site.candidates))]);
}

function timesBlock(site) {
  const { choices, points: packed } = site.plots.times;
  if (packed.length === 0) return null;
  const points = packed.map(([epoch, choice, trial, time]) => ({ epoch, choice: choices[choice], trial, time }));
  const columns = [
    { title: "Epoch", right: true },
    { title: "Algorithm" },
    { title: "Trial" },
    { title: "Time", right: true },
  ];
  const rows = points.map((d) => [String(d.epoch), d.choice, d.trial ? "yes" : "no", durationCell(d.time)]);
  return block("What calls took", [
    drawn((width) => timesPlot(points, site.algorithm, site.compared, width), 250),
    note("A point is an epoch, or several neighbours; hollow points are trials."),
    figuresOf(`${site.compared} by epoch`, columns, rows),
  ]);
}

function predictionBlock(site) {
  const { rank, points: packed } = site.plots.predictions;
  if (packed.length === 0) return null;
  const points = packed.map(([epoch, predicted, came]) => ({ epoch, predicted, came }));
  const columns = ["Epoch", "Predicted", "Came"].map((title) => ({ title, right: true }));
  const rows = points.map((d) => [String(d.epoch), durationCell(d.predicted), durationCell(d.came)]);
  return block(`Rank ${rank}: what was predicted and what came`, [
    drawn((width) => predictionsPlot(rank, points, width), 250),
    note("Each prediction was made an epoch before. Epochs that were joined no longer tell."),
    figuresOf(`Lateness of rank ${rank} by epoch`, columns, rows),
  ]);
}

// The lines say in characters what the plot shows, as `starling simulate --timeline` prints it.
function callBlock(site) {
  const { why_not: whyNot, end, drawings, note: about } = site.call;
  if (whyNot !== undefined) return block("One call", [note(whyNot)]);
  const plots = drawings.flatMap((drawing) => [
    element("p", { class: "title" }, drawing.title),
    drawn((width) => callPlot(drawing, end, width), 120),
  ]);
  const lineOf = ({ rank, line }) => `${String(rank).padStart(4)} |${line}|`;
  const lines = drawings.map(({ title, rows }) => [title, ...rows.map(lineOf)].join("\n"));
  const text = element("details", { class: "data" }, element("summary", {}, "The same in characters"));
  const key = ". not arrived   s sends   r receives   + receives and reduces   x = s and r   X = s and +   - waits";
  text.append(element("div", { class: "scroll", tabindex: "0" }, element("pre", {}, [...lines, key].join("\n\n"))));
  const legend = element("div", { class: "plot" }, element("figure", {}, callLegend()));
  return block("One call", [legend, ...plots, note(about), text]);
}

// The last column of the table holds sentences.
function wordy(table) {
  table.classList.add("wordy");
  return table;
}

function decisionBlock(site) {
  if (site.decisions === null) return block("Decisions", [note("No decision was recorded in this run.")]);
  return block("Decisions", [wordy(scrolling(tableElement(site.decisions)))]);
}

function siteBody(site) {
  const pair = present([timesBlock(site), predictionBlock(site)]);
  return [
    arrivalBlock(site),
    candidateBlock(site),
    element("div", { class: "pair" }, ...pair),
    callBlock(site),
    decisionBlock(site),
    block("In words", [list(site.sentences, "story")]),
    ...site.notes.map(note),
  ];
}

// The body of a site is made when it is opened.
function fillSite(made, site) {
  if (!made.open || made.children.length > 1) return;
  made.append(...siteBody(site));
  drawInView();
}

function siteSection(site, index) {
  const head = element(
    "summary",
    {},
    element("h3", {}, site.name),
    element("span", { class: "subtitle" }, site.subtitle),
    element(
      "span",
      { class: "chips" },
      element("span", { class: "chip algorithm" }, site.algorithm),
      element("span", { class: "chip" }, site.state),
    ),
  );
  const made = element("details", { class: "site", id: `site-${index + 1}` }, head);
  made.addEventListener("toggle", () => fillSite(made, site));
  return made;
}

function siteTable() {
  const table = { ...report.sites_table, rows: report.sites.map((site) => site.cells) };
  const places = table.columns.map((column) => column.title);
  const made = tableElement(table, (row, place) => {
    const site = report.sites[row];
    if (places[place] === "Where") {
      return element("a", { href: `#site-${row + 1}` }, ...breakable(cellText(site.cells[place])));
    }
    if (places[place] !== "Time per call") return undefined;
    return site.sparkline.length > 1 ? drawn(() => sparkline(site.sparkline), 26) : "-";
  });
  made.classList.add("sites");
  makeSortable(made, table);
  return scrolling(made);
}

function openAll() {
  for (const one of document.querySelectorAll("details.site")) one.open = true;
}

// A link to a site opens it; #all opens all, as before printing.
function openTarget() {
  if (location.hash === "#all") return openAll();
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  if (target === null || target.tagName !== "DETAILS") return;
  target.open = true;
  target.querySelector("summary").focus();
}

function runSections() {
  if (report.sites.length === 0) return [];
  const open = element("button", { type: "button", class: "open-all" }, "Open all sites");
  open.addEventListener("click", openAll);
  const sections = report.sites.map(siteSection);
  sections[0].open = true;
  return [section("Sites", siteTable()), section("Site by site", open, ...sections)];
}

function comparisonSections() {
  const lines = report.calls_plot;
  const table = tableElement(report.sites_table);
  makeSortable(table, report.sites_table);
  const drawing = drawn((width) => comparedPlot(lines, report.names, width), 60 + 24 * lines.length);
  return [
    section("Both runs", scrolling(tableElement(report.figures_table))),
    section("Sites", ...(lines.length > 0 ? [drawing] : []), scrolling(table)),
  ];
}

function warnings() {
  if (report.warnings.length === 0) return [];
  const title = element("h2", {}, "What to know of these figures");
  return [element("section", { class: "warnings" }, title, list(report.warnings, "plain"))];
}

function foot() {
  const written = `Written by Starling ${report.version} on ${report.written}.`;
  const plots = "Plots are drawn by Plot and D3, whose licences are in the source of this page.";
  return element("footer", {}, element("p", {}, report.further), element("p", {}, `${written} ${plots}`));
}

const isRun = report.kind === "run";
if (isRun) main.append(figureCards(), ...shares());
main.append(...warnings(), ...(isRun ? runSections() : comparisonSections()));
main.append(section("Environment", scrolling(tableElement(report.environment))));
document.body.append(foot());
window.addEventListener("hashchange", openTarget);
window.addEventListener("resize", drawAnew);
window.addEventListener("beforeprint", () => [...drawings.keys()].forEach(draw));
openTarget();
if (isRun && report.sites.length > 0) fillSite(document.getElementById("site-1"), report.sites[0]);
drawInView();
