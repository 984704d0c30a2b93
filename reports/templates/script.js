"use strict";
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  var list = document.getElementById("claim-list");
  var claims = Array.prototype.slice.call(list.querySelectorAll(".claim"));
  var groups = Array.prototype.slice.call(list.querySelectorAll(".group"));
  var search = document.getElementById("search");
  var kind = document.getElementById("kind");
  var section = document.getElementById("section");
  var count = document.getElementById("count");
  var none = document.getElementById("none");
  var chips = Array.prototype.slice.call(document.querySelectorAll(".chip"));
  var texts = new Map();

  function text(claim) {
    if (!texts.has(claim)) texts.set(claim, claim.textContent.toLowerCase());
    return texts.get(claim);
  }

  function wanted() {
    return chips
      .filter(function (chip) { return chip.getAttribute("aria-pressed") === "true"; })
      .map(function (chip) { return chip.dataset.verdict; });
  }

  function apply() {
    var verdicts = wanted();
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var shown = 0;
    claims.forEach(function (claim) {
      var fits = (!verdicts.length || verdicts.indexOf(claim.dataset.verdict) >= 0) &&
        (!kind.value || kind.value === claim.dataset.kind) &&
        (!section.value || section.value === claim.dataset.section) &&
        words.every(function (word) { return text(claim).indexOf(word) >= 0; });
      claim.hidden = !fits;
      if (fits) shown += 1;
    });
    groups.forEach(function (group) {
      group.hidden = !group.querySelector(".claim:not([hidden])");
    });
    none.hidden = shown > 0;
    count.textContent = shown + " of " + claims.length + " claims";
  }

  function reset() {
    search.value = "";
    kind.value = "";
    section.value = "";
    chips.forEach(function (chip) { chip.setAttribute("aria-pressed", "false"); });
    apply();
  }

  function follow() {
    var name = decodeURIComponent(location.hash.slice(1));
    var target = name && document.getElementById(name);
    if (!target || !target.classList.contains("claim")) return;
    if (target.hidden) reset();
    target.open = true;
    target.scrollIntoView({ block: "start" });
    target.querySelector("summary").focus({ preventScroll: true });
  }

  function copied(button) {
    var source = document.getElementById(button.dataset.copy);
    var done = function () { button.textContent = "Copied"; };
    var mark = function () { getSelection().selectAllChildren(source); };
    if (!navigator.clipboard) return mark();
    navigator.clipboard.writeText(source.textContent.trim()).then(done, mark);
  }

  function light(node, on) {
    var key = node.dataset.node;
    node.ownerSVGElement.querySelectorAll("path[data-a]").forEach(function (path) {
      var near = path.dataset.a === key || path.dataset.b === key;
      if (near) path.classList.toggle("lit", on);
    });
  }

  search.form.addEventListener("submit", function (event) { event.preventDefault(); });
  search.addEventListener("input", apply);
  kind.addEventListener("change", apply);
  section.addEventListener("change", apply);
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
  document.querySelectorAll("a[data-node]").forEach(function (node) {
    ["mouseenter", "focus"].forEach(function (on) { node.addEventListener(on, function () { light(node, true); }); });
    ["mouseleave", "blur"].forEach(function (off) { node.addEventListener(off, function () { light(node, false); }); });
  });
  var opened = [];
  addEventListener("beforeprint", function () {
    opened = Array.prototype.slice.call(document.querySelectorAll("details:not([open])"));
    opened.forEach(function (one) { one.open = true; });
  });
  addEventListener("afterprint", function () {
    opened.forEach(function (one) { one.open = false; });
  });
  addEventListener("hashchange", follow);
  apply();
  follow();
})();
