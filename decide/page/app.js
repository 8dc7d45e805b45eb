"use strict";

// The page: what is chosen, undo, the summary, and how it ends.
(() => {
  const meta = (name) => document.querySelector(`meta[name="decide-${name}"]`).content;
  const token = meta("token"), session = meta("session");
  let data = null;           // what is asked
  let byID = new Map();      // id → index in data.items
  const choices = new Map(); // id → value
  const notes = new Map();   // id → text
  const undos = [];          // lists of {id, kind, before}
  let over = false;          // nothing can be sent any more

  // api asks the server; an answer that is no success is an error.
  async function api(path, options = {}) {
    const answer = await fetch(path, { ...options, headers: { "X-Decide-Token": token, ...options.headers }, credentials: "omit", cache: "no-store" });
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw Object.assign(new Error([body.error, body.detail].filter(Boolean).join(": ") || String(answer.status)), { status: answer.status });
    return body;
  }

  const openItems = () => data.items.filter((i) => !choices.has(i.id));
  const number = (id) => byID.get(id) + 1;
  const labelOf = (item) => item.options.find((o) => o.value === choices.get(item.id)).label;

  // --- what is chosen

  function choose(item, value) {
    change([{ id: item.id, kind: "choice", after: value }]);
    const left = openItems().length;
    say(t("chose", number(item.id), labelOf(item), left ? t("stillOpen", left) : t("allDone")));
  }

  // noted keeps a note. What is typed without a pause elsewhere is one change.
  function noted(item, text) {
    const last = undos.at(-1);
    if (last && last.length === 1 && last[0].id === item.id && last[0].kind === "note") {
      put(last[0].id, "note", text);
      refresh();
    } else {
      change([{ id: item.id, kind: "note", after: text }]);
    }
  }

  function change(list) {
    undos.push(list.map(({ id, kind, after }) => {
      const before = (kind === "note" ? notes : choices).get(id);
      put(id, kind, after);
      return { id, kind, before };
    }));
    refresh();
  }

  function put(id, kind, value) {
    const into = kind === "note" ? notes : choices;
    if (value === undefined || value === "") into.delete(id);
    else into.set(id, value);
  }

  function undo() {
    const list = undos.pop();
    if (!list) return say(t("nothing"));
    for (const { id, kind, before } of list) {
      put(id, kind, before);
      paint(id);
    }
    refresh();
    go(list[0].id, list[0].kind);
    say(list.length > 1 ? t("undoneMany", list.length) : t("undone", number(list[0].id)));
  }

  // paint shows an item as it is now.
  function paint(id) {
    const item = data.items[byID.get(id)];
    item.options.forEach((o, i) => { $(`item-${id}-${i}`).checked = choices.get(id) === o.value; });
    const note = $(`item-${id}-note`);
    note.value = notes.get(id) || "";
    fit(note);
  }

  // refresh shows what became of all items, and keeps it.
  function refresh() {
    const left = openItems().length, all = data.items.length;
    for (const item of data.items) {
      const decided = choices.has(item.id);
      const state = $(`item-${item.id}-state`), link = $(`link-${item.id}`);
      state.textContent = t(decided ? "decided" : "open");
      $(`item-${item.id}`).classList.toggle("decided", decided);
      link.classList.toggle("decided", decided);
      link.lastChild.textContent = t(decided ? "decided" : "open");
    }
    $("progress").max = all;
    $("progress").value = all - left;
    $("count").textContent = t("count", all - left, all);
    $("undo").setAttribute("aria-disabled", String(undos.length === 0));
    $("review").setAttribute("aria-disabled", String(left > 0));
    $("next").setAttribute("aria-disabled", String(left === 0));
    const offered = openItems().filter((i) => i.recommend).length;
    $("accept").hidden = offered === 0;
    $("accept").textContent = t("accept", offered);
    document.title = `(${all - left}/${all}) ${data.task} – ${t("title")}`;
    draft.keep(choices, notes);
  }

  // go leads to an item: to its title, or to what was changed in it.
  function go(id, kind) {
    const item = data.items[byID.get(id)];
    const chosen = item.options.findIndex((o) => o.value === choices.get(id));
    const to = $(kind === "note" ? `item-${id}-note` : kind ? `item-${id}-${Math.max(chosen, 0)}` : `item-${id}-title`);
    to.focus({ preventScroll: true });
    (kind ? to : $(`item-${id}`)).scrollIntoView({ block: kind ? "nearest" : "start" });
  }

  // next goes to the open item after the one where the person is.
  let here = -1;
  function next() {
    const open = openItems();
    if (open.length === 0) return say(t("allDone"));
    go((open.find((i) => byID.get(i.id) > here) || open[0]).id);
  }

  function accept() {
    const list = openItems().filter((i) => i.recommend).map((i) => ({ id: i.id, kind: "choice", after: i.recommend }));
    change(list);
    list.forEach((c) => paint(c.id));
    say(t("accepted", list.length));
    $("task").focus();
  }

  // --- sending

  function review() {
    const open = openItems();
    if (open.length > 0) {
      go(open[0].id);
      say(t("stillOpen", open.length));
      return;
    }
    show($("failed"), "");
    $("chosen").replaceChildren(...data.items.map((item) => {
      const edit = element("button", { type: "button", class: "small", "aria-label": t("change") + ": " + item.title }, t("change"));
      edit.addEventListener("click", () => { $("summary").close(); go(item.id); });
      return element("li", {}, element("div", {}, element("p", { class: "muted" }, item.title), element("p", { class: "chosen" }, labelOf(item)),
        notes.has(item.id) ? element("p", { class: "noted" }, notes.get(item.id)) : null), edit);
    }));
    $("summary").showModal();
    $("summary-title").focus();
  }

  async function send() {
    if (over || $("send").getAttribute("aria-disabled") === "true") return;
    const decisions = data.items.map((item) => {
      const d = { id: item.id, chosen: choices.get(item.id) };
      if ((notes.get(item.id) || "").trim()) d.note = notes.get(item.id);
      return d;
    });
    busy(true);
    try {
      await api("api/submit", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ decisions }) });
      draft.sent(session);
      draft.forget();
      end("done");
    } catch (err) {
      if (err.status === 409) end("taken");
      else if (!over) show($("failed"), err.status ? t("refused", err.message) : t("unreachable"));
    } finally {
      busy(false);
    }
  }

  let sending = false;
  function busy(yes) {
    sending = yes;
    $("send").setAttribute("aria-disabled", String(yes));
    $("send").textContent = t(yes ? "sending" : "send");
  }

  // end shows how it ended, and nothing else.
  function end(how) {
    if (over) return;
    over = true;
    if ($("summary").open) $("summary").close();
    for (const id of ["work", "bar", "alert", "loading", "language"]) $(id).hidden = true;
    document.querySelector("header").hidden = true;
    document.querySelector(".skip").hidden = true;
    $("end").hidden = false;
    $("end").className = "end " + how;
    $("end-title").textContent = t(how);
    $("end-text").textContent = t(how + "Text");
    document.title = t(how);
    say("");
    $("end-title").focus();
  }

  // watch learns from the server that others decided, or that it ended. Only a
  // page that is seen waits: a browser keeps few connections to one server.
  async function watch() {
    let failures = 0;
    while (!over) {
      if (document.hidden) {
        await new Promise((go) => document.addEventListener("visibilitychange", go, { once: true }));
        continue;
      }
      const away = new AbortController();
      const leave = () => { if (document.hidden) away.abort(); };
      document.addEventListener("visibilitychange", leave);
      try {
        const { state } = await api("api/wait", { signal: away.signal });
        failures = 0;
        show($("alert"), "");
        if (state === "decided" && !sending) end("taken");
        if (state === "timeout" || state === "stopped") end(state);
      } catch (err) {
        if (away.signal.aborted || over) continue;
        if (draft.wasSent(session) && !sending) return end("taken");
        if (++failures > 1) show($("alert"), t("lost"));
        await new Promise((go) => setTimeout(go, Math.min(1000 * failures, 5000)));
      } finally {
        document.removeEventListener("visibilitychange", leave);
      }
    }
  }

  // --- the page

  function texted() {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    for (const e of document.querySelectorAll("[data-text]")) e.textContent = t(e.dataset.text);
    for (const e of document.querySelectorAll("[data-label]")) e.setAttribute("aria-label", t(e.dataset.label));
    $("language").textContent = t("other");
    $("language").lang = t("otherLang");
  }

  function render() {
    texted();
    $("task").textContent = data.task;
    $("from").textContent = data.source;
    $("links").replaceChildren(...data.items.map((item) => {
      const link = element("a", { href: `#item-${item.id}`, id: `link-${item.id}` }, element("span", {}, item.title), element("span", { class: "state" }));
      link.addEventListener("click", (e) => { e.preventDefault(); go(item.id); });
      return element("li", {}, link);
    }));
    $("items").replaceChildren(...data.items.map((item, i) => article(item, i, data.items.length, { choose, note: noted, api })));
    data.items.forEach((item) => paint(item.id));
    refresh();
  }

  // restore takes a draft over, as far as it fits the questions.
  function restore(kept) {
    if (!kept) return;
    for (const [id, value] of kept.choices || []) {
      if (byID.has(id) && data.items[byID.get(id)].options.some((o) => o.value === value)) choices.set(id, value);
    }
    for (const [id, text] of kept.notes || []) if (byID.has(id) && typeof text === "string") notes.set(id, text);
  }

  async function start() {
    texted();
    try {
      data = await api("api/items");
    } catch (err) {
      $("loading").hidden = true;
      show($("alert"), draft.wasSent(session) ? t("takenText") : t("noItems", err.message));
      return;
    }
    byID = new Map(data.items.map((item, i) => [item.id, i]));
    restore(draft.open(JSON.stringify(data)));
    const wide = matchMedia("(min-width: 70rem)");
    $("overview").open = wide.matches;
    wide.addEventListener("change", () => { $("overview").open = wide.matches; });
    for (const id of ["work", "bar", "language"]) $(id).hidden = false;
    $("loading").hidden = true;
    render();
    if (choices.size + notes.size > 0) say(t("restored"));
    watch();
  }

  $("undo").addEventListener("click", undo);
  $("next").addEventListener("click", next);
  $("review").addEventListener("click", review);
  $("accept").addEventListener("click", accept);
  $("send").addEventListener("click", send);
  $("back").addEventListener("click", () => $("summary").close());
  $("items").addEventListener("focusin", (e) => {
    const item = e.target.closest("article");
    if (item) here = byID.get(Number(item.id.slice("item-".length)));
  });
  $("items").addEventListener("submit", (e) => { e.preventDefault(); review(); });
  $("language").addEventListener("click", () => {
    language = language === "zh" ? "en" : "zh";
    render();
    $("language").focus();
  });
  document.addEventListener("keydown", (e) => {
    if (!(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey || !data || over || $("summary").open) return;
    // A text field undoes what is typed by itself.
    if (e.key.toLowerCase() === "z" && !e.target.matches("textarea")) {
      e.preventDefault();
      undo();
    }
    if (e.key === "Enter") {
      e.preventDefault();
      if (openItems().length > 0) next();
      else review();
    }
  });
  window.addEventListener("beforeunload", (e) => { if (data && !over) e.preventDefault(); });
  window.addEventListener("storage", () => { if (data && !over && !sending && draft.wasSent(session)) end("taken"); });
  start();
})();
