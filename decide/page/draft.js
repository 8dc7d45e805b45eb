"use strict";

// A draft is kept in the browser until the decisions are sent. It belongs to
// the questions themselves: the same ones find it again.
const draft = {
  key: "",

  // open finds what is kept for questions, and forgets what is a month old.
  open(text) {
    this.key = "decide:" + hash(text);
    return this.attempt(() => {
      const old = Date.now() - 30 * 24 * 3600 * 1000;
      for (const key of Object.keys(localStorage)) {
        if (!key.startsWith("decide")) continue;
        let time = 0;
        try { time = JSON.parse(localStorage.getItem(key)).time; } catch { /* no draft of ours: it goes */ }
        if (!(time > old)) localStorage.removeItem(key);
      }
      return JSON.parse(localStorage.getItem(this.key));
    });
  },

  keep(choices, notes) {
    this.attempt(() => localStorage.setItem(this.key, JSON.stringify({ time: Date.now(), choices: [...choices], notes: [...notes] })));
  },

  forget() {
    this.attempt(() => localStorage.removeItem(this.key));
  },

  // sent leaves word for other tabs that a session is over.
  sent(session) {
    this.attempt(() => localStorage.setItem("decided:" + session, JSON.stringify({ time: Date.now() })));
  },

  wasSent(session) {
    return this.attempt(() => localStorage.getItem("decided:" + session)) !== null;
  },

  // attempt lives with a browser that keeps nothing.
  attempt(what) {
    try { return what(); } catch { return null; }
  },
};

// hash gives a short name for a text (FNV-1a, twice with different starts).
function hash(text) {
  let a = 0x811c9dc5, b = 0x01000193;
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x5bd1e995);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36) + text.length.toString(36);
}
