"""The page in a real browser: opened from a file, filtered, followed, at two widths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from page_support import Browser, needs_chromium, screen, without_script
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = needs_chromium
Record = dict[str, Any]

CONTRAST = """
const parse = c => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const lum = c => { const f = v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  return .2126 * f(c[0]) + .7152 * f(c[1]) + .0722 * f(c[2]); };
const ground = e => { for (; e; e = e.parentElement) {
  const c = parse(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
const bad = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement;
  const apart = 'svg, script, style, option, [hidden]';
  if (!walker.currentNode.data.trim() || e.closest(apart)) continue;
  const a = lum(parse(getComputedStyle(e).color)), b = lum(ground(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  seen += 1;
  if (ratio < 4.5) bad.push([e.className, walker.currentNode.data.slice(0, 40), ratio]);
}
return [seen, bad];
"""


@pytest.fixture
def page(browser: Browser, files: dict[str, bytes], tmp_path: Path) -> str:
    return opened(browser, files["index.html"], tmp_path)


def opened(browser: Browser, html: bytes, folder: Path) -> str:
    path = folder / "index.html"
    path.write_bytes(html)
    screen(browser, 1280, "light")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())
    return path.as_uri()


def shown(browser: Browser) -> list[str]:
    shown_ones = "document.querySelectorAll('#statement-list .statement:not([hidden])')"
    return list(browser.execute_script(f"return [...{shown_ones}].map(e => e.id)"))


def requests(browser: Browser) -> list[str]:
    entries = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        entry["params"]["request"]["url"]
        for entry in entries
        if entry["method"] == "Network.requestWillBeSent"
    ]


def use_everything(browser: Browser) -> None:
    """Every control once."""
    for chip in browser.find_elements(By.CSS_SELECTOR, ".chip"):
        chip.click()
    browser.find_element(By.ID, "search").send_keys("error" + Keys.ENTER)
    browser.find_element(By.ID, "reset").click()
    browser.execute_script("location.hash = '#eq1'")
    browser.find_element(By.CSS_SELECTOR, ".statement[open] .copy").click()
    browser.find_element(By.CSS_SELECTOR, ".finding summary").send_keys(Keys.ENTER)


def test_the_page_opens_from_a_file_without_error_or_request(browser: Browser, page: str) -> None:
    use_everything(browser)
    assert browser.title.startswith("Assay of")
    assert browser.get_log("browser") == []
    assert [url for url in requests(browser) if url.split("#")[0] != page and url != "data:,"] == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_nothing_of_the_record_has_become_an_element(browser: Browser, page: str) -> None:
    assert len(browser.find_elements(By.CSS_SELECTOR, "script")) == 1
    assert browser.find_elements(By.CSS_SELECTOR, "img, iframe, object, [onerror]") == []
    assert "<script>alert(1)</script>" in browser.execute_script(
        "return document.getElementById('hostile').textContent"
    )


def of_paper(record: Record) -> list[Record]:
    return [row for row in record["statements"] if not row["ours"]]


def test_the_statements_can_be_searched(browser: Browser, page: str, record: Record) -> None:
    assert len(shown(browser)) == len(of_paper(record))
    browser.find_element(By.ID, "search").send_keys("error is 2 f1")
    assert shown(browser) == ["eq1"]
    assert browser.find_element(By.ID, "count").text == "1 of 8 statements"
    browser.find_element(By.ID, "search").send_keys(" nowhere")
    assert shown(browser) == []
    assert browser.find_element(By.ID, "none").is_displayed()
    browser.find_element(By.ID, "reset").click()
    assert len(shown(browser)) == len(of_paper(record))


@pytest.mark.parametrize(
    ("query", "first"),
    [("thm1", "thm1"), ("Theorem 2", "thm2"), ("equation (1)", "eq1"), ("old.thm1", "thm1")],
)
def test_exact_ids_and_the_papers_own_names_come_first(
    browser: Browser, page: str, query: str, first: str
) -> None:
    browser.find_element(By.ID, "search").send_keys(query)
    hits = browser.find_elements(By.CSS_SELECTOR, "#hits a")
    assert hits[0].get_attribute("href").endswith(f"#{first}")


def test_counts_follow_the_search(browser: Browser, page: str) -> None:
    chip = browser.find_element(By.CSS_SELECTOR, ".chip[data-verdict=proved] b")
    before = int(chip.text)
    browser.find_element(By.ID, "search").send_keys("theorem 1")
    assert int(chip.text) < before


@pytest.mark.parametrize(
    "key",
    [
        "verdict",
        "grade",
        *(pytest.param(k, marks=pytest.mark.slow) for k in ("form", "section", "method")),
    ],
)
def test_a_filter_shows_exactly_its_statements(
    browser: Browser, page: str, record: Record, key: str
) -> None:
    for value in {row[key] for row in of_paper(record) if row[key]}:
        browser.find_element(By.ID, "reset").click()
        if key == "verdict":
            browser.find_element(By.CSS_SELECTOR, f".chip[data-verdict='{value}']").click()
        else:
            browser.find_element(By.CSS_SELECTOR, f"#by-{key} option[value='{value}']").click()
        wanted = {row["id"] for row in of_paper(record) if row[key] == value}
        assert set(shown(browser)) == wanted


def test_the_filter_works_from_the_keyboard(browser: Browser, page: str) -> None:
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "search"
    browser.switch_to.active_element.send_keys("theorem 1")
    assert "thm1" in shown(browser)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    for _ in range(6):
        browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("data-verdict") == "proved"
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(outline) == "solid"


def test_a_sentence_can_be_copied_from_page_one(browser: Browser, page: str) -> None:
    button = browser.find_element(By.CSS_SELECTOR, "#answer .copy")
    button.click()
    said = browser.find_element(By.ID, "answer-1").text
    marked = browser.execute_script("return String(getSelection())")
    assert button.text == "Copied" or marked.strip() == said


def test_an_anchor_opens_its_statement(browser: Browser, page: str) -> None:
    browser.get(f"{page}#eq1")
    browser.refresh()
    one = browser.find_element(By.ID, "eq1")
    assert one.get_attribute("open") == "true"
    top = browser.execute_script("return arguments[0].getBoundingClientRect().top", one)
    assert 0 <= top < 900


def test_a_link_opens_a_statement_that_the_filter_hides(browser: Browser, page: str) -> None:
    browser.find_element(By.ID, "search").send_keys("nowhere")
    browser.find_element(By.CSS_SELECTOR, ".card a[href='#thm1']").send_keys(Keys.ENTER)
    one = browser.find_element(By.ID, "thm1")
    WebDriverWait(browser, 5).until(lambda _: one.get_attribute("open") == "true")
    assert one.is_displayed()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_the_whole_published_answer_is_seen_without_scrolling(
    browser: Browser, published: str, width: int, height: int
) -> None:
    browser.get(published)
    screen(browser, width, "light")
    rows = browser.find_elements(By.CSS_SELECTOR, ".glance tbody tr")
    assert [row.find_element(By.TAG_NAME, "th").text for row in rows][:3] == [
        "Theorem 1", "Theorem 2", "Theorem 3",
    ]  # fmt: skip
    assert all(row.find_element(By.CSS_SELECTOR, ".permission").text for row in rows)
    bottom = "return arguments[0].getBoundingClientRect().bottom"
    assert 0 < browser.execute_script(bottom, rows[-1]) < height


def test_a_row_of_the_answer_leads_to_its_sentence(browser: Browser, page: str) -> None:
    link = browser.find_element(By.CSS_SELECTOR, ".glance a")
    name = link.text
    link.send_keys(Keys.ENTER)
    card = browser.find_element(By.ID, link.get_attribute("href").split("#")[1])
    assert card.find_element(By.TAG_NAME, "h3").text == name


def test_every_link_of_the_page_has_a_target_and_every_id_is_unique(
    browser: Browser, page: str
) -> None:
    lost = """return [...document.querySelectorAll('[href^="#"]')].map(a => a.getAttribute('href'))
        .filter(h => !document.getElementById(h.slice(1)))"""
    twice = """const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
        return ids.filter((id, i) => ids.indexOf(id) !== i)"""
    assert browser.execute_script(lost) == []
    assert browser.execute_script(twice) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_never_runs_out_of_its_width(browser: Browser, published: str, width: int) -> None:
    browser.get(published)
    screen(browser, width, "light")
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = browser.execute_script("return document.documentElement.scrollWidth")
    assert found == width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_contrasts_with_its_ground(browser: Browser, page: str, scheme: str) -> None:
    screen(browser, 1280, scheme)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.find_element(By.CSS_SELECTOR, ".chip").click()
    browser.find_element(By.CSS_SELECTOR, ".chip").click()
    seen, bad = browser.execute_script(CONTRAST)
    assert seen > 200
    assert bad == []


def test_pale_text_and_a_request_are_seen(browser: Browser, page: str) -> None:
    browser.execute_script("document.querySelector('.lead').style.color = '#999'")
    assert browser.execute_script(CONTRAST)[1] != []
    browser.execute_script("new Image().src = 'http://127.0.0.1:9/x'")
    assert any(
        "Content Security Policy" in entry["message"] for entry in browser.get_log("browser")
    )


def test_the_page_has_landmarks_headers_and_words_for_its_pictures(
    browser: Browser, page: str
) -> None:
    for landmark in ("body > header", "nav[aria-label]", "main", "footer", "[role=search]"):
        assert len(browser.find_elements(By.CSS_SELECTOR, landmark)) == 1, landmark
    assert browser.find_elements(By.CSS_SELECTOR, "th:not([scope])") == []
    nameless = "svg[role=img]:not([aria-label]):not([aria-labelledby])"
    assert browser.find_elements(By.CSS_SELECTOR, nameless) == []
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the answer"


def test_the_page_can_be_read_without_its_script(browser: Browser, page: str) -> None:
    with without_script(browser):
        browser.refresh()
        assert browser.find_element(By.CSS_SELECTOR, "#answer .says").is_displayed()
        assert browser.find_element(
            By.CSS_SELECTOR, "#statement-list .group summary"
        ).is_displayed()
        assert not browser.find_element(By.ID, "search").is_displayed()
