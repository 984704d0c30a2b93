"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  var all = function (query, inside) { return Array.prototype.slice.call((inside || document).querySelectorAll(query)); };
  var list = document.getElementById("statement-list");
  var statements = all(".statement", list);
  var groups = all(".group", list);
  var search = document.getElementById("search");
  var fields = all("select[data-field]");
  var count = document.getElementById("count");
  var none = document.getElementById("none");
  var hits = document.getElementById("hits");
  var chips = all(".chip");
  var texts = new Map();
  var phone = matchMedia("screen and (max-width: 52rem)");

  function text(one) {
    var typed = all("[data-text]", one).map(function (said) { return said.dataset.text; });
    if (!texts.has(one)) texts.set(one, typed.concat(one.textContent).join(" ").toLowerCase());
    return texts.get(one);
  }

  function wanted() {
    return chips
      .filter(function (chip) { return chip.getAttribute("aria-pressed") === "true"; })
      .map(function (chip) { return chip.dataset.verdict; });
  }

  // Exact ids and the paper's own names come first, then beginnings of them, then titles, then any text.
  function rank(one, query) {
    var names = one.dataset.names.split("|").filter(Boolean);
    if (names.indexOf(query) >= 0) return 0;
    if (names.some(function (name) { return name.indexOf(query) === 0; })) return 1;
    return one.querySelector(".name").textContent.toLowerCase().indexOf(query) >= 0 ? 2 : 3;
  }

  function list_hits(shown, query) {
    hits.textContent = "";
    hits.hidden = !query || !shown.length;
    if (hits.hidden) return;
    var ranked = shown.map(function (one, place) { return [rank(one, query), place, one]; });
    ranked.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    ranked.slice(0, 6).forEach(function (row) {
      var item = document.createElement("li");
      var link = document.createElement("a");
      link.href = "#" + row[2].id;
      link.textContent = row[2].querySelector(".name").textContent;
      item.appendChild(link);
      hits.appendChild(item);
    });
  }

  function fits(one, verdicts, words) {
    return (!verdicts.length || verdicts.indexOf(one.dataset.verdict) >= 0) &&
      fields.every(function (field) { return !field.value || field.value === one.dataset[field.dataset.field]; }) &&
      words.every(function (word) { return text(one).indexOf(word) >= 0 || one.dataset.names.indexOf(word) >= 0; });
  }

  function recount(words) {
    chips.forEach(function (chip) {
      var n = statements.filter(function (one) { return fits(one, [chip.dataset.verdict], words); }).length;
      chip.querySelector("b").textContent = n;
    });
  }

  function apply() {
    var verdicts = wanted();
    var query = search.value.trim().toLowerCase();
    var words = query.split(/\s+/).filter(Boolean);
    var shown = statements.filter(function (one) { return fits(one, verdicts, words); });
    var chosen = words.length > 0 || verdicts.length > 0 || fields.some(function (field) { return field.value; });
    statements.forEach(function (one) { one.hidden = shown.indexOf(one) < 0; });
    groups.forEach(function (group) {
      var left = all(".statement:not([hidden])", group).length;
      group.hidden = !left;
      group.open = chosen;
      group.querySelector("small").textContent = left + (left === 1 ? " statement" : " statements");
    });
    list_hits(shown, query);
    recount(words);
    none.hidden = shown.length > 0;
    count.textContent = shown.length + " of " + statements.length + " statements";
  }

  function reset() {
    search.value = "";
    fields.forEach(function (field) { field.value = ""; });
    chips.forEach(function (chip) { chip.setAttribute("aria-pressed", "false"); });
    apply();
  }

  // Wide tables are folded on a narrow screen only; without this script they are open on every screen.
  function fold_narrow() {
    all("details.narrow").forEach(function (one) { one.open = !phone.matches; });
  }

  function follow() {
    var name = decodeURIComponent(location.hash.slice(1));
    var target = name && document.getElementById(name);
    var table = target && target.closest("details.narrow");
    if (table) {
      table.open = true;
      target.scrollIntoView({ block: "start" });
      return;
    }
    var closest = target && target.closest("details");
    if (!closest) return;
    if (closest.hidden) reset();
    for (var one = closest; one; one = one.parentElement.closest("details")) one.open = true;
    closest.scrollIntoView({ block: "start" });
    closest.querySelector("summary").focus({ preventScroll: true });
  }

  function copied(button) {
    var source = document.getElementById(button.dataset.copy);
    var done = function () { button.textContent = "Copied"; };
    var mark = function () { getSelection().selectAllChildren(source); };
    if (!navigator.clipboard) return mark();
    var form = source.dataset[button.dataset.form || "text"];
    navigator.clipboard.writeText(form || source.textContent.trim()).then(done, mark);
  }

  function light(node, on) {
    var key = node.dataset.node;
    all("path[data-a]", node.ownerSVGElement).forEach(function (path) {
      if (path.dataset.a === key || path.dataset.b === key) path.classList.toggle("lit", on);
    });
  }

  search.form.addEventListener("submit", function (event) { event.preventDefault(); });
  search.addEventListener("input", apply);
  fields.forEach(function (field) { field.addEventListener("change", apply); });
  document.getElementById("reset").addEventListener("click", function () { reset(); search.focus(); });
  chips.forEach(function (chip) {
    chip.addEventListener("click", function () {
      chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
      apply();
    });
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest(".copy");
    if (button) copied(button);
    var link = event.target.closest("a[href]");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  document.addEventListener("keydown", function (event) {
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement === search) {
      reset();
    }
  });
  all("a[data-node]").forEach(function (node) {
    ["mouseenter", "focus"].forEach(function (on) { node.addEventListener(on, function () { light(node, true); }); });
    ["mouseleave", "blur"].forEach(function (off) { node.addEventListener(off, function () { light(node, false); }); });
  });
  // Paper cannot be opened: everything is, for browsers whose style sheet cannot do it.
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = all("details:not([open])");
    closed.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () { closed.forEach(function (one) { one.open = false; }); });
  addEventListener("hashchange", follow);
  phone.addEventListener("change", fold_narrow);
  fold_narrow();
  apply();
  follow();
})();
