"use strict";
const collator = new Intl.Collator(undefined, { numeric: true });
const valueIn = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
const compare = (one, other) =>
  Number.isNaN(Number(one)) || Number.isNaN(Number(other)) ? collator.compare(one, other) : one - other;

function sortBy(table, head) {
  const column = head.cellIndex, up = head.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows].map((row) => [valueIn(row, column), row]);
  rows.sort(([one], [other]) => {
    if (one === "" || other === "") return (one === "") - (other === "");
    return up ? compare(one, other) : compare(other, one);
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

function filter(table, words) {
  for (const row of table.tBodies[0].rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}

for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sortBy(button.closest("table"), button.closest("th")));
}
for (const input of document.querySelectorAll("input[type=search]")) {
  const table = document.getElementById(input.getAttribute("aria-controls"));
  input.addEventListener("input", () => filter(table, input.value.toLowerCase().split(/\s+/)));
}
