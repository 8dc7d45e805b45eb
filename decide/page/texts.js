"use strict";

// The texts of the page. {0} and {1} are filled in.
const texts = {
  zh: {
    title: "待定项决策", from: "来源:", skip: "跳到待定项", loading: "正在加载…", other: "English", otherLang: "en",
    overview: "目录", progress: "决策进度", count: "已决定 {0} / {1}", undo: "撤销", next: "下一个未决定项", review: "检查并提交",
    summary: "提交前请确认", check: "提交后不能再修改。", back: "返回修改", send: "确认提交", sending: "正在提交…",
    item: "第 {0} 项,共 {1} 项", open: "未决定", decided: "已决定", recommended: "推荐", score: "评分 {0}", pros: "优点", cons: "缺点",
    note: "备注(可选)", noNote: "无备注", change: "修改", accept: "为未决定项采用推荐选项({0} 项)", accepted: "已采用 {0} 项推荐选项,可以撤销",
    more: "展开全文", less: "收起", chose: "第 {0} 项已选择:{1}。{2}", undone: "已撤销对第 {0} 项的更改", undoneMany: "已撤销 {0} 项更改", nothing: "没有可以撤销的更改",
    keys: "键盘:Ctrl+Enter 前往下一个未决定项,全部决定后检查并提交;Ctrl+Z 撤销。",
    stillOpen: "还有 {0} 项未决定", allDone: "所有待定项均已决定,可以提交", restored: "已恢复上次的草稿",
    lines: "{0},第 {1}–{2} 行", line: "{0},第 {1} 行", loadingSource: "正在读取源文件…", moreLines: "只显示开头部分",
    outside: "该文件不在项目目录内,不予显示", missing: "找不到该文件", binary: "该文件不是文本文件", short: "该文件没有这些行", large: "该文件过大", failed: "无法读取该文件",
    done: "决策已提交", doneText: "可以关闭此页面了。",
    taken: "已由其他页面提交", takenText: "另一个页面或设备先提交了决策,此页面的选择没有被采用。可以关闭此页面了。",
    timeout: "服务已超时关闭", timeoutText: "决策没有提交。选择已保存在此浏览器中,相同的待定项再次提交时会恢复。",
    stopped: "服务已停止", stoppedText: "决策没有提交。选择已保存在此浏览器中,相同的待定项再次提交时会恢复。",
    lost: "与服务的连接已断开(服务可能已停止,或已在别处完成决策),正在重试。选择已保存在此浏览器中。", refused: "提交失败:{0}", unreachable: "无法连接服务,决策没有提交。选择已保存在此浏览器中。",
    noItems: "无法加载待定项:{0}",
  },
  en: {
    title: "Decisions", from: "Source:", skip: "Skip to the questions", loading: "Loading…", other: "中文", otherLang: "zh-CN",
    overview: "Overview", progress: "Progress", count: "{0} of {1} decided", undo: "Undo", next: "Next open question", review: "Review and send",
    summary: "Before you send", check: "Once sent, decisions cannot be changed.", back: "Back", send: "Send", sending: "Sending…",
    item: "Question {0} of {1}", open: "open", decided: "decided", recommended: "Recommended", score: "Score {0}", pros: "Pros", cons: "Cons",
    note: "Note (optional)", noNote: "no note", change: "Change", accept: "Take the recommendation for all open questions ({0})", accepted: "{0} recommendations taken; this can be undone",
    more: "Show all", less: "Show less", chose: "Question {0}: {1} chosen. {2}", undone: "The change of question {0} is undone", undoneMany: "{0} changes are undone", nothing: "There is nothing to undo",
    keys: "Keyboard: Ctrl+Enter goes to the next open question, and to the summary when all are decided; Ctrl+Z undoes.",
    stillOpen: "{0} still open", allDone: "Everything is decided and can be sent", restored: "Your draft is back",
    lines: "{0}, lines {1}–{2}", line: "{0}, line {1}", loadingSource: "Reading the file…", moreLines: "Only the beginning is shown",
    outside: "The file is outside the project and is not shown", missing: "There is no such file", binary: "The file is no text", short: "The file does not have these lines", large: "The file is too large", failed: "The file cannot be read",
    done: "Your decisions are sent", doneText: "You can close this page now.",
    taken: "Another page was faster", takenText: "The decisions were sent from another page or device; what was chosen here is not used. You can close this page now.",
    timeout: "The time is over", timeoutText: "Nothing was sent. What you chose is kept in this browser and comes back when the same questions are asked again.",
    stopped: "The service has stopped", stoppedText: "Nothing was sent. What you chose is kept in this browser and comes back when the same questions are asked again.",
    lost: "The connection is lost: the service may have stopped, or somebody else decided. Trying again. What you chose is kept in this browser.", refused: "It could not be sent: {0}", unreachable: "The service cannot be reached, nothing was sent. What you chose is kept in this browser.",
    noItems: "The questions cannot be loaded: {0}",
  },
};

let language = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

// t gives a text in the language of the page.
function t(name, ...values) {
  return texts[language][name].replace(/\{(\d)\}/g, (_, i) => values[i]);
}

// element makes an element. Texts become text, never HTML.
function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) e.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null) e.append(child);
  return e;
}

const $ = (id) => document.getElementById(id);

// say tells something to whoever hears the page.
function say(text) {
  $("status").textContent = text;
}

// show puts a text into an element that is hidden where there is none.
function show(e, text) {
  e.hidden = !text;
  e.textContent = text || "";
}
