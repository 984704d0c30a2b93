"""The published record as a page: short on a screen, whole on paper, every anchor opens."""

from __future__ import annotations

import base64
import re
from contextlib import nullcontext

import pytest

pytest.importorskip("selenium", reason="selenium is not installed")

from page_support import Browser, needs_chromium, screen, without_script
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = needs_chromium


@pytest.mark.parametrize(("width", "most"), [(1280, 20_000), (390, 29_500)])
def test_the_published_page_is_not_endless(
    browser: Browser, published: str, width: int, most: int
) -> None:
    screen(browser, width, "light")
    browser.get(published)
    assert 2_000 < browser.execute_script("return document.documentElement.scrollHeight") < most


def test_conditions_are_folded_on_a_phone_only(browser: Browser, published: str) -> None:
    seen = "return document.querySelector(arguments[0]).checkVisibility()"
    for width in (390, 1280, 390):
        screen(browser, width, "light")
        browser.get(published)
        assert browser.execute_script(seen, ".matrix") is (width == 1280)
        assert browser.execute_script(seen, ".narrow > summary") is (width == 390)
    browser.execute_script("location.hash = document.querySelector('.matrix tbody tr[id]').id")
    place = "return document.querySelector('.matrix tbody tr[id]').getBoundingClientRect().top"
    WebDriverWait(browser, 5).until(lambda _: browser.execute_script(seen, ".matrix"))
    assert 0 <= browser.execute_script(place) < 900
    screen(browser, 1280, "light")
    WebDriverWait(browser, 5).until(lambda _: not browser.execute_script(seen, ".narrow > summary"))
    assert browser.execute_script(seen, ".matrix")
    with without_script(browser):
        screen(browser, 390, "light")
        browser.get(published)
    assert browser.execute_script(seen, ".matrix")


def test_the_whole_menu_is_seen_on_a_phone(browser: Browser, published: str) -> None:
    screen(browser, 390, "light")
    browser.get(published)
    right = (
        "return [...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect().right)"
    )
    ends = browser.execute_script(right)
    assert len(ends) == 8 and max(ends) <= 390


def test_only_the_title_of_a_caption_is_bold(browser: Browser, published: str) -> None:
    browser.get(published)
    weight = "return getComputedStyle(document.querySelector(arguments[0])).fontWeight"
    assert browser.execute_script(weight, "#figures figcaption") == "400"
    assert int(browser.execute_script(weight, "#figures figcaption b")) >= 600


def test_the_published_report_prints_whole_on_at_most_thirty_two_pages(
    browser: Browser, published: str
) -> None:
    with without_script(browser):
        browser.get(published)
        printed = browser.execute_cdp_cmd(
            "Page.printToPDF", {"preferCSSPageSize": True, "paperWidth": 8.27, "paperHeight": 11.69}
        )
    pages = re.findall(rb"/Type\s*/Page[^s]", base64.b64decode(printed["data"]))
    assert 15 <= len(pages) <= 32


def test_folded_parts_are_printed(browser: Browser, published: str) -> None:
    browser.get(published)
    seen = "return [...document.querySelectorAll(arguments[0])].map(e => e.checkVisibility())"
    asked = (
        "#cite-thm1",
        "#figures figcaption",
        "#ours .write",
        ".observations li",
        ".map",
        "#method dl",
        ".matrix",
    )
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = false; })")
    assert browser.execute_script(seen, "#finding-product-norms dd")[0] is False
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        for name in ("#finding-product-norms dd", *asked):
            found = browser.execute_script(seen, name)
            assert found and all(found), name
        assert not any(
            browser.execute_script(seen, ".copy, .filter, nav.sections, .fold, .narrow > summary")
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_printing_restores_folds(browser: Browser, published: str) -> None:
    browser.get(published)
    count = "return document.querySelectorAll('details[open]').length"
    before = browser.execute_script(count)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(count) > before
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(count) == before


@pytest.mark.parametrize("scripted", [True, False])
def test_an_anchor_opens_a_folded_finding_and_a_folded_statement(
    browser: Browser, published: str, scripted: bool
) -> None:
    screen(browser, 1280, "light")
    for name in ("finding-wout-transposed", "thm1"):
        with nullcontext() if scripted else without_script(browser):
            browser.get("about:blank")
            browser.get(f"{published}#{name}")
            assert browser.find_element(By.ID, name).is_displayed()
        place = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
        assert 0 <= browser.execute_script(place, name) < 900


def test_page_one_names_every_finding_of_its_statements(browser: Browser, published: str) -> None:
    browser.get(published)
    card = browser.find_elements(By.CSS_SELECTOR, "#answer .card")[1]
    links = [
        a.get_attribute("href").split("#")[1]
        for a in card.find_elements(By.CSS_SELECTOR, ".wrong a")
    ]
    assert len(links) > 3 and all(link.startswith("finding-") for link in links)
    assert re.search(r"F1 M forgets the identity pads gap; .*F\d+ and F\d+\.$", card.text)


def test_scripts_of_formulas_are_set_and_copied_as_typed(browser: Browser, published: str) -> None:
    browser.get(published)
    said = browser.find_elements(By.CSS_SELECTOR, "#answer .says")[4]
    assert "2^(ℓ-1)" in said.get_attribute("data-text") and "_" not in said.text
    assert "ℓ" in [sub.text for sub in said.find_elements(By.TAG_NAME, "sub")]
    browser.find_element(By.ID, "search").send_keys("2^(ℓ-1)")
    assert browser.find_element(By.ID, "eq1").is_displayed()
