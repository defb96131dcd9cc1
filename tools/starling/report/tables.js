// Elements and tables. Whatever comes from a program is text, never HTML.

// Makes an element; children are elements or texts.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// Lets lines break within a symbol or path: between its parts.
function breakable(text) {
  return text.split(/(?<=::|_|\/)/).flatMap((part) => [part, element("wbr")]);
}

// A cell is a text, or a figure: [text, value]; nothing where something else stands in its place.
function cellText(cell) {
  return Array.isArray(cell) ? cell[0] : cell ?? "";
}

function cellValue(cell) {
  return Array.isArray(cell) ? cell[1] : cell;
}

// The figure itself stands in an attribute, for those who copy it.
function cellContent(cell) {
  const value = cellValue(cell);
  return Array.isArray(cell) && value !== null ? element("data", { value }, cell[0]) : cellText(cell);
}

// `fill(row, column)` returns what stands in a cell in place of its content, or undefined.
function tableElement(table, fill = () => undefined) {
  const head = element("tr");
  for (const column of table.columns) {
    head.append(element("th", { scope: "col", class: column.right ? "right" : null }, column.title));
  }
  const body = element("tbody");
  table.rows.forEach((row, index) => {
    const line = element("tr");
    row.forEach((cell, place) => {
      const content = fill(index, place) ?? cellContent(cell);
      line.append(element("td", { class: table.columns[place].right ? "right" : null }, content));
    });
    body.append(line);
  });
  return element("table", {}, element("caption", {}, table.caption), element("thead", {}, head), body);
}

// Tables may be wider than a screen: they scroll by themselves, by keyboard too.
function scrolling(table) {
  const label = table.caption.textContent;
  return element("div", { class: "scroll", role: "region", "aria-label": label, tabindex: "0" }, table);
}

function compareValues(x, y) {
  return typeof x === "number" ? x - y : String(x).localeCompare(String(y));
}

// Returns the order of the rows by a column; what is not known comes last.
function sortedRows(table, place, rises) {
  const values = table.rows.map((row) => cellValue(row[place]));
  return d3.range(values.length).sort((i, j) => {
    const unknown = (values[i] === null) - (values[j] === null);
    return unknown || (rises ? 1 : -1) * compareValues(values[i], values[j]);
  });
}

// Makes the titles buttons that sort the rows, the other way round when pressed again: figures begin with the greatest.
function makeSortable(made, table) {
  const lines = [...made.tBodies[0].rows];
  const titles = [...made.tHead.rows[0].cells];
  titles.forEach((title, place) => {
    const button = element("button", { type: "button" }, title.textContent);
    title.replaceChildren(button);
    button.addEventListener("click", () => {
      const now = title.getAttribute("aria-sort");
      const rises = now === null ? !table.columns[place].right : now === "descending";
      titles.forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", rises ? "ascending" : "descending");
      made.tBodies[0].append(...sortedRows(table, place, rises).map((index) => lines[index]));
    });
  });
}
