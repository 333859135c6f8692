// Lets the rows of a table be folded under their aggregates. Without scripts all rows show.
for (const body of document.querySelectorAll(".cells tbody")) {
  const rows = [...body.rows];
  const depth = (row) => Number(row.dataset.depth);
  const update = () => {
    let hiddenBelow = Infinity;
    for (const row of rows) {
      row.hidden = depth(row) > hiddenBelow;
      if (!row.hidden) hiddenBelow = row.dataset.folded ? depth(row) : Infinity;
    }
  };
  rows.forEach((row, at) => {
    const next = rows[at + 1];
    if (!next || !(depth(next) > depth(row))) return;
    const button = document.createElement("button");
    const label = row.cells[0].firstElementChild;
    const show = () => {
      button.textContent = row.dataset.folded ? "▸" : "▾";
      button.setAttribute("aria-expanded", row.dataset.folded ? "false" : "true");
    };
    button.className = "fold";
    button.type = "button";
    button.setAttribute("aria-label", "fold " + label.textContent);
    button.addEventListener("click", () => {
      if (row.dataset.folded) delete row.dataset.folded;
      else row.dataset.folded = "yes";
      show();
      update();
    });
    if (rows.length > 80 && depth(row) > 0) row.dataset.folded = "yes";
    show();
    label.prepend(button);
  });
  update();
}
