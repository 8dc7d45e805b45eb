"use strict";

// How an item looks. What was chosen is not here but in app.js.

// longText is how many characters are shown before the rest is folded.
const longText = 700;

// article makes one item. on has what happens: choose(item, value),
// note(item, text), and api, which asks the server.
function article(item, index, total, on) {
  const id = "item-" + item.id;
  const title = element("h2", { id: id + "-title", tabindex: "-1" }, item.title);
  const parts = [
    element("p", { class: "place" }, element("span", {}, t("item", index + 1, total)), " ", element("span", { id: id + "-state", class: "state" })),
    title,
  ];
  if (item.context) parts.push(folded(item.context, id + "-context"));
  if (item.location) parts.push(excerpt(item, on.api));
  parts.push(element("fieldset", { "aria-labelledby": title.id }, item.options.map((o, i) => option(item, o, i, on))));
  const note = element("textarea", { id: id + "-note", rows: "2", maxlength: "20000" });
  note.addEventListener("input", () => { fit(note); on.note(item, note.value); });
  parts.push(element("label", { class: "note", for: note.id }, t("note")), note);
  return element("article", { id, "aria-labelledby": title.id }, parts);
}

// fit makes a note as high as its text.
function fit(note) {
  note.rows = Math.min(12, Math.max(2, note.value.split("\n").length + 1));
}

// folded shows a long text up to a point, and the rest when it is asked for.
function folded(text, id) {
  const p = element("p", { class: "context", id }, text);
  if (text.length <= longText && text.split("\n").length <= 12) return p;
  p.classList.add("folded");
  const button = element("button", { type: "button", class: "small", "aria-expanded": "false", "aria-controls": id }, t("more"));
  button.addEventListener("click", () => {
    const open = p.classList.toggle("folded") === false;
    button.setAttribute("aria-expanded", String(open));
    button.textContent = t(open ? "less" : "more");
  });
  return element("div", {}, p, button);
}

function option(item, o, i, on) {
  const id = "item-" + item.id + "-" + i;
  const recommended = item.recommend === o.value;
  const described = (recommended ? id + "-badge " : "") + id + "-more";
  const radio = element("input", { type: "radio", name: "item-" + item.id, id, value: i, "aria-describedby": described });
  radio.addEventListener("change", () => on.choose(item, o.value));
  const more = element("div", { id: id + "-more", class: "more" });
  if (o.score !== null && o.score !== undefined) {
    more.append(element("p", { class: "score" }, element("span", {}, t("score", o.score)),
      element("meter", { min: "0", max: "100", value: o.score, "aria-hidden": "true" })));
  }
  for (const name of ["pros", "cons"]) {
    if (!o[name] || o[name].length === 0) continue;
    more.append(element("div", { class: name }, element("p", { class: "list" }, t(name)),
      element("ul", {}, o[name].map((s) => element("li", {}, s)))));
  }
  const box = element("div", { class: recommended ? "option recommended" : "option" }, radio,
    element("div", { class: "text" },
      element("p", {}, element("label", { for: id }, o.label), recommended ? element("span", { class: "badge", id: id + "-badge" }, t("recommended")) : null,
        o.value !== o.label ? element("code", { class: "value" }, o.value) : null),
      more));
  // All of the box chooses, unless a text in it is being marked.
  box.addEventListener("click", (e) => {
    if (e.target === radio || e.target.closest("label") || String(getSelection())) return;
    radio.focus();
    radio.click();
  });
  return box;
}
