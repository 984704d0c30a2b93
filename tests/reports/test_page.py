"""The page in a real browser: opened from a file, filtered, followed, at two widths."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reports import render_all

pytest.importorskip("selenium", reason="selenium is not installed")

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--hide-scrollbars",
)  # fmt: skip
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.skipif(
        not (CHROMIUM.exists() and DRIVER.exists()), reason="Chromium is not installed"
    ),
]
Record = dict[str, Any]
Browser = webdriver.Chrome

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


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


def screen(browser: Browser, width: int, scheme: str) -> None:
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def shown(browser: Browser) -> list[str]:
    script = "return [...document.querySelectorAll('.claim:not([hidden])')].map(e => e.id)"
    return list(browser.execute_script(script))


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
    browser.execute_script("location.hash = '#thm2.recursion'")
    browser.find_element(By.CSS_SELECTOR, ".claim[open] .copy").click()
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    browser.execute_script("dispatchEvent(new Event('afterprint'))")


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
        "return document.getElementById('fam.hmm.definition').textContent"
    )


def test_the_claims_can_be_filtered(browser: Browser, page: str, record: Record) -> None:
    assert len(shown(browser)) == len(record["claims"])
    browser.find_element(By.ID, "search").send_keys("measured error printed")
    assert shown(browser) == ["thm2.recursion"]
    assert browser.find_element(By.ID, "count").text == "1 of 12 claims"
    browser.find_element(By.ID, "search").send_keys(" nowhere")
    assert shown(browser) == []
    assert browser.find_element(By.ID, "none").is_displayed()
    browser.find_element(By.ID, "reset").click()
    assert len(shown(browser)) == len(record["claims"])


@pytest.mark.parametrize("key", ["verdict", "kind", "section"])
def test_a_filter_shows_exactly_its_claims(
    browser: Browser, page: str, record: Record, key: str
) -> None:
    for value in {claim[key] for claim in record["claims"]}:
        browser.find_element(By.ID, "reset").click()
        if key == "verdict":
            browser.find_element(By.CSS_SELECTOR, f".chip[data-verdict={value}]").click()
        else:
            choice = f"#{key} option[value='{value}']" if key == "section" else f"#{key} option"
            found = browser.find_elements(By.CSS_SELECTOR, choice)
            next(o for o in found if key == "section" or o.text == value).click()
        assert shown(browser) == [c["id"] for c in record["claims"] if c[key] == value]


def test_the_filter_works_from_the_keyboard(browser: Browser, page: str) -> None:
    browser.find_element(By.TAG_NAME, "body").send_keys("/")
    assert browser.switch_to.active_element.get_attribute("id") == "search"
    browser.switch_to.active_element.send_keys("theorem 1")
    assert "thm1.proof" in shown(browser)
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    for _ in range(4):
        browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("data-verdict") == "proved"
    browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert shown(browser) == ["thm1.exact", "fam.hmm.definition"]
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(outline) == "solid"


def test_an_anchor_opens_its_claim(browser: Browser, page: str) -> None:
    browser.get(f"{page}#thm2.bounded")
    browser.refresh()
    claim = browser.find_element(By.ID, "thm2.bounded")
    assert claim.get_attribute("open") == "true"
    top = browser.execute_script("return arguments[0].getBoundingClientRect().top", claim)
    assert 0 <= top < 900


def test_a_link_opens_a_claim_that_the_filter_hides(browser: Browser, page: str) -> None:
    browser.find_element(By.ID, "search").send_keys("nowhere")
    browser.find_element(By.CSS_SELECTOR, ".statements a[href='#lem1.matmul']").send_keys(
        Keys.ENTER
    )
    claim = browser.find_element(By.ID, "lem1.matmul")
    assert claim.get_attribute("open") == "true"
    assert claim.is_displayed()


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
def test_the_page_never_runs_out_of_its_width(
    browser: Browser, large: Record, tmp_path: Path, width: int
) -> None:
    opened(browser, render_all(large)["index.html"], tmp_path)
    screen(browser, width, "light")
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = browser.execute_script("return document.documentElement.scrollWidth")
    assert found == width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_its_ground(browser: Browser, page: str, scheme: str) -> None:
    screen(browser, 1280, scheme)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    browser.find_element(By.CSS_SELECTOR, ".chip").click()
    browser.find_element(By.CSS_SELECTOR, ".chip").click()
    seen, bad = browser.execute_script(CONTRAST)
    assert seen > 500
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
    for landmark in ("header", "nav[aria-label]", "main", "footer", "[role=search]"):
        assert len(browser.find_elements(By.CSS_SELECTOR, landmark)) == 1, landmark
    assert browser.find_elements(By.CSS_SELECTOR, "th:not([scope])") == []
    nameless = "svg[role=img]:not([aria-label]):not([aria-labelledby])"
    assert browser.find_elements(By.CSS_SELECTOR, nameless) == []
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the answer"


def test_the_page_can_be_read_without_its_script(browser: Browser, page: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.refresh()
    try:
        assert browser.find_element(By.ID, "thm1.exact").is_displayed()
        assert not browser.find_element(By.ID, "search").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
