"use strict";

// The lines of a file that an item is about.

// excerpt makes the place for the lines; they are read when it comes near.
function excerpt(item, api) {
  const at = item.location;
  const name = at.end > at.start ? t("lines", at.file, at.start, at.end) : t("line", at.file, Math.max(at.start, 1));
  const body = element("div", { class: "lines" }, element("p", { class: "muted" }, t("loadingSource")));
  // What comes below does not jump when the lines arrive.
  const expected = Math.max(at.end - at.start, 0) + 1 + Math.min(at.start, 3) + 3;
  body.style.minHeight = Math.min(expected * 1.275 + 0.8, 24) + "rem";
  const place = element("figure", { class: "excerpt" }, element("figcaption", {}, name), body);
  whenNear(place, async () => {
    try {
      fill(body, name, await api("api/source?id=" + item.id));
    } catch {
      body.replaceChildren(element("p", { class: "muted" }, t("failed")));
    }
  });
  return place;
}

function whenNear(place, act) {
  if (!("IntersectionObserver" in window)) return act();
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watch.disconnect();
    act();
  }, { rootMargin: "600px" });
  watch.observe(place);
}

function fill(body, name, x) {
  body.style.minHeight = "";
  if (x.error) {
    body.replaceChildren(element("p", { class: "muted" }, t(x.error in texts.en ? x.error : "failed")));
    return;
  }
  const paint = highlighter(x.file);
  const code = element("code", {}, x.lines.map((line, i) => {
    const number = x.first + i;
    const meant = number >= x.start && number <= x.end;
    return element("span", { class: meant ? "line meant" : "line" },
      element("span", { class: "number", "data-number": number, "aria-hidden": "true" }),
      element("span", { class: "code" }, paint(line), "\n"));
  }));
  // Lines that are too wide are scrolled to by keyboard too.
  body.replaceChildren(element("pre", { tabindex: "0", role: "region", "aria-label": name }, code));
  if (x.more) body.append(element("p", { class: "muted" }, t("moreLines")));
}

const keywords = new Set(("abstract and as async await bool boolean break case catch chan char class const continue def default defer del delete do double elif else end enum export extends " +
  "extern false final finally float fn for foreach from func function global go goto if impl implements import in instanceof int interface is lambda let local long loop map match mod module mut namespace new nil " +
  "none not null or package pass private protected pub public raise range return select self short static string struct super switch template then this throw throws trait true try type typeof union unsafe use using " +
  "val var virtual void volatile where while with yield None True False").split(" "));

// highlighter gives a function that parts a line of a file into spans: it
// knows comments, texts, numbers and common words, not grammars.
function highlighter(file) {
  const kind = file.slice(file.lastIndexOf(".") + 1).toLowerCase();
  if (["md", "txt", "rst", "log", "csv"].includes(kind)) return (line) => [line];
  const hash = ["py", "rb", "sh", "bash", "yml", "yaml", "toml", "pl", "r", "makefile", "dockerfile", "conf", "ini"].includes(kind.split("/").pop());
  const dash = ["sql", "lua", "hs", "elm"].includes(kind);
  const comment = hash ? "#.*" : dash ? "--.*" : "\\/\\/.*|\\/\\*.*?(?:\\*\\/|$)";
  const parts = new RegExp("(" + comment + ")|(\"(?:\\\\.|[^\"\\\\])*\"|'(?:\\\\.|[^'\\\\])*'|`(?:\\\\.|[^`\\\\])*`)|\\b(\\d[\\w.]*)|([A-Za-z_]\\w*)", "g");
  let inside = false; // of a comment over several lines
  return (line) => {
    const out = [];
    let from = 0;
    if (inside) {
      const end = line.indexOf("*/");
      if (end < 0) return [element("span", { class: "c" }, line)];
      inside = false;
      from = end + 2;
      out.push(element("span", { class: "c" }, line.slice(0, from)));
    }
    parts.lastIndex = from;
    for (let m; (m = parts.exec(line)); ) {
      const name = m[1] ? "c" : m[2] ? "s" : m[3] ? "n" : keywords.has(m[4]) ? "k" : "";
      if (!name) continue;
      out.push(line.slice(from, m.index), element("span", { class: name }, m[0]));
      from = m.index + m[0].length;
      if (m[1] && m[1].startsWith("/*") && !m[1].endsWith("*/")) inside = true;
    }
    out.push(line.slice(from));
    return out;
  };
}
