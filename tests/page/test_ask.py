"""Setting up a house: modes, panels, presets and what it takes, by keyboard and by pointer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from moot.modes import MODES
from moot.testing.process import ModelServerProcess
from tests.harness.waiting import PATIENCE
from tests.harness.willing_models import WILLING
from tests.page.conftest import SERVE, server, simulated_server
from tests.page.reader import AXE, ask, choose_mode, faults_of, photograph, wait_for_the_end

AUTHORS = ("anthropic", "openai", "google", "meta-llama", "mistralai", "qwen", "deepseek", "x-ai")
QUICK = [f"sim/{name}:latency=1:tps=9999" for name in ("ada", "bo", "cleo", "dov", "eli")]
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


def catalogue() -> list[dict[str, Any]]:
    """Four hundred models of eight authors, as OpenRouter lists them."""
    return [
        {
            "id": f"{author}/model-{number:02}",
            "name": f"{author.title()}: Model {number:02}",
            "context_length": 8_000 * (number + 1),
            "pricing": {"prompt": str(number * 1e-7), "completion": str(number * 4e-7)},
        }
        for author in AUTHORS
        for number in range(50)
    ]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with four hundred priced models to choose from, and several people behind a proxy."""
    folder = tmp_path_factory.mktemp("house")
    around = {
        "DATABASE_URL": f"sqlite:///{folder / 'moot.db'}",
        "MOOT_PORT": "0",
        "MOOT_DEFAULT_MODELS": ",".join(QUICK),
        "MOOT_USER_HEADER": "X-User",
        "MOOT_EMBEDDER": "off",
        "XDG_DATA_HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
    }
    with (
        ModelServerProcess({"listed": catalogue()}) as models,
        server(SERVE, {**models.environment, **around}) as (url, _),
    ):
        yield url


@pytest.fixture(scope="module")
def willing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A new server with a key, whose models are not simulated."""
    folder = tmp_path_factory.mktemp("willing")
    own = {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "MOOT_EMBEDDER": "off"}
    with ModelServerProcess(WILLING) as models, server(SERVE, {**models.environment, **own}) as (url, _):
        yield url


def visitor(browser: Browser, name: str, **options: Any) -> Page:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800},
        locale="en-GB",
        extra_http_headers={"X-User": name},
        **options,
    )
    context.set_default_timeout(PATIENCE * 1000)
    return context.new_page()


@pytest.fixture
def ann(browser: Browser, house: str) -> Iterator[Page]:
    page = visitor(browser, "ann")
    faults = faults_of(page)
    page.goto(f"{house}/#/")
    page.wait_for_selector(".house")
    yield page
    page.context.close()
    assert [fault for fault in faults if "status of 4" not in fault] == []


def choose(page: Page, mode: str) -> None:
    choose_mode(page, mode)


def seats(page: Page, name: str) -> list[str]:
    return [box.input_value() for box in page.get_by_role("combobox", name=re.compile(rf"^{name} \d")).all()]


def test_a_model_is_found_among_four_hundred_and_seated_by_keyboard_alone(ann: Page) -> None:
    choose(ann, "debate")
    ann.get_by_role("button", name="Add a seat").focus()
    ann.keyboard.press("Enter")
    box = ann.get_by_role("combobox", name="Debaters 4")
    expect(box).to_be_focused()
    box.press("ArrowDown")
    options = ann.get_by_role("listbox", name="Models for Debaters 4").get_by_role("option")
    expect(options).to_have_count(406)
    photograph(ann, "ask-picker")
    ann.keyboard.type("mist 07")
    expect(options).to_have_count(1)
    expect(options).to_contain_text("$0.7 in · $2.8 out")
    expect(options).to_contain_text("64k")
    ann.keyboard.press("Enter")
    expect(box).to_have_value("mistralai/model-07")
    expect(box).to_be_focused()
    # Escape leaves all as it was; the same model may sit twice; Alt and an arrow move the seat.
    ann.keyboard.press("ArrowDown")
    ann.keyboard.type("qwen")
    ann.keyboard.press("Escape")
    expect(box).to_have_value("mistralai/model-07")
    expect(box).to_be_focused()
    ann.get_by_role("button", name="Add a seat").click()
    ann.keyboard.type("mistralai/model-07")
    ann.keyboard.press("Enter")
    ann.keyboard.press("Alt+ArrowUp")
    ann.keyboard.press("Alt+ArrowUp")
    expect(ann.get_by_role("combobox", name="Debaters 3")).to_be_focused()
    assert seats(ann, "Debaters") == [*QUICK[:2], "mistralai/model-07", QUICK[2], "mistralai/model-07"]


def test_a_search_through_four_hundred_models_keeps_up_with_every_key(ann: Page) -> None:
    choose(ann, "vote")
    box = ann.get_by_role("combobox", name="Voters 1")
    box.click()
    ann.keyboard.type("google model 4", delay=0)
    expect(ann.locator(".option")).to_have_count(14)


def test_seats_are_moved_and_removed_with_the_pointer_and_each_model_keeps_its_sign(ann: Page) -> None:
    choose(ann, "council")
    ann.get_by_role("button", name="Move Council 1 down").click()
    assert seats(ann, "Council") == [QUICK[1], QUICK[0], *QUICK[2:4]]
    ann.locator(".seats .grip").nth(3).drag_to(ann.locator(".seats li").nth(0))
    assert seats(ann, "Council") == [QUICK[3], QUICK[1], QUICK[0], QUICK[2]]
    ann.get_by_role("button", name="Remove Council 2").click()
    expect(ann.get_by_role("button", name="Remove Council 2")).to_be_focused()
    assert seats(ann, "Council") == [QUICK[3], QUICK[0], QUICK[2]]
    shapes = [sign.get_attribute("data-shape") for sign in ann.locator(".seats .sign").all()]
    assert shapes == ["diamond", "circle", "triangle"]
    # The chairman is by default whoever sits first.
    expect(ann.get_by_role("combobox", name="Chairman")).to_have_value(QUICK[3])


def test_an_id_that_nobody_lists_is_taken_and_said_to_be_unknown(ann: Page) -> None:
    choose(ann, "council")
    box = ann.get_by_role("combobox", name="Chairman")
    box.click()
    ann.keyboard.type("lab/own-model")
    expect(ann.locator(".picker-own")).to_contain_text("Press Enter to use lab/own-model anyway")
    ann.keyboard.press("Enter")
    expect(box).to_have_value("lab/own-model")
    expect(ann.locator(".picker", has=box)).to_contain_text("not in the list")
    expect(ann.locator(".takes")).to_contain_text("cost unknown")
    ann.get_by_text("Maximum cost").click()
    expect(ann.locator(".house")).to_contain_text("No price is known for lab/own-model.")


def test_what_it_takes_is_what_the_server_says(ann: Page, house: str) -> None:
    choose(ann, "debate")
    models = ["openai/model-09", "google/model-20", "qwen/model-33"]
    for place, model in enumerate(models, 1):
        ann.get_by_role("combobox", name=f"Debaters {place}").click()
        ann.keyboard.type(model)
        ann.keyboard.press("Enter")
    question = "Is tea better than coffee?"
    ann.get_by_label("Your question").fill(question)
    body = json.dumps({"question": question, "mode": "debate", "modeConfig": {"models": models}}).encode()
    headers = {"Content-Type": "application/json", "X-User": "ann"}
    with urlopen(Request(f"{house}/api/estimate", body, headers), timeout=PATIENCE) as response:
        said = json.load(response)
    assert said["calls"] == 13
    line = f"At most 13 calls · at most ${said['cost']:.2f} · about 3 min"
    expect(ann.locator(".takes .hint")).to_have_text(line)
    ann.get_by_text("Maximum cost").click()
    rows = ann.locator(".steps tbody tr")
    expect(rows).to_have_count(4)
    assert sum(int(row.locator("td").nth(2).inner_text()) for row in rows.all()) == 13
    photograph(ann, "ask-priced")


def test_what_the_server_would_refuse_stands_at_the_field_before_anything_is_asked(ann: Page) -> None:
    choose(ann, "debate")
    ann.get_by_text("Rules").click()
    ann.get_by_label("Timeout").fill("5")
    wrong = "timeoutMs must be between 10000 and 600000"
    expect(ann.locator(".field", has=ann.get_by_label("Timeout")).locator(".wrong")).to_have_text(wrong)
    expect(ann.get_by_label("Timeout")).to_have_attribute("aria-invalid", "true")
    expect(ann.locator(".takes")).to_contain_text(wrong)
    choose(ann, "jury")
    ann.get_by_role("combobox", name="Foreman").click()
    ann.keyboard.type(QUICK[0])
    ann.keyboard.press("Enter")
    expect(ann.locator(".house > .wrong")).to_have_text("Foreman model must not be one of the juror models")
    ann.get_by_label("What should the jury").fill("word " * 6_500)
    expect(ann.locator("#question-length")).to_have_text(
        "32,500 of at most 32,000 characters. Put longer texts into “Text to judge”."
    )
    ann.get_by_label("What should the jury").fill("Is it sound?")
    ann.get_by_role("button", name="Reset to defaults").click()
    ann.get_by_label("Text to judge").fill("x" * 400_001)
    work = ann.locator(".field", has=ann.get_by_label("Text to judge"))
    expect(work.locator(".wrong")).to_have_text("content has 400001 characters, the limit is 400000")


def test_a_preset_is_saved_begun_with_shared_and_used_by_another(
    ann: Page, browser: Browser, house: str
) -> None:
    choose(ann, "debate")
    ann.get_by_role("button", name="Add a seat").click()
    fourth = ann.get_by_role("combobox", name="Debaters 4")
    expect(fourth).to_be_focused()
    ann.keyboard.type("openai/model-01")
    ann.keyboard.press("Enter")
    expect(fourth).to_have_value("openai/model-01")
    ann.get_by_role("button", name="Save as preset").click()
    ann.keyboard.type("Four of us")
    ann.get_by_label("Make default for Debate").check()
    ann.get_by_label("Share with everyone on this server").check()
    photograph(ann, "ask-saving")
    ann.get_by_role("button", name="Save", exact=True).click()
    expect(ann.get_by_label("Preset", exact=True)).to_have_value(re.compile(r"\w+"))
    expect(ann.get_by_role("button", name="Make default for Debate")).to_have_attribute(
        "aria-pressed", "true"
    )
    photograph(ann, "ask-preset")

    # Another tab of hers begins with it in this mode, and only in this one.
    other = ann.context.new_page()
    other.goto(f"{house}/#/")
    choose(other, "debate")
    expect(other.get_by_role("combobox", name="Debaters 4")).to_have_value("openai/model-01")
    choose(other, "vote")
    expect(other.get_by_label("Preset", exact=True)).to_have_value("")

    bob = visitor(browser, "bob")
    bob.goto(f"{house}/#/")
    choose(bob, "debate")
    expect(bob.get_by_role("combobox", name="Debaters 4")).to_have_count(0)
    bob.get_by_label("Preset", exact=True).select_option(label="Four of us (ann)")
    expect(bob.get_by_role("combobox", name="Debaters 4")).to_have_value("openai/model-01")
    expect(bob.get_by_role("button", name="Delete")).to_have_count(0)
    expect(bob.locator(".presets")).to_contain_text("shared by ann")
    bob.get_by_role("button", name="Remove Debaters 4").click()
    expect(bob.locator(".preset-about")).to_contain_text("changed")
    ask_here(bob)
    wait_for_the_end(bob)
    expect(bob.locator(".answer .prose")).not_to_be_empty()

    ann.get_by_role("button", name="Share on this server").click()
    expect(ann.get_by_role("button", name="Share on this server")).to_have_attribute("aria-pressed", "false")
    bob.goto(f"{house}/#/")
    bob.reload()
    choose(bob, "debate")
    expect(bob.get_by_role("option", name="Four of us (ann)")).to_have_count(0)
    bob.context.close()
    ann.get_by_role("button", name="Delete").click()
    expect(ann.get_by_label("Preset", exact=True)).to_have_value("")


def test_a_text_to_judge_belongs_to_its_question_and_to_no_preset(ann: Page, house: str) -> None:
    choose(ann, "jury")
    ann.get_by_label("Text to judge").fill("All swans are white.")
    ann.get_by_role("button", name="Add a seat").click()
    ann.keyboard.type("sim/eli")
    ann.keyboard.press("Enter")
    ann.get_by_role("button", name="Save as preset").click()
    ann.keyboard.type("Four jurors")
    ann.keyboard.press("Enter")
    expect(ann.get_by_label("Preset", exact=True)).to_have_value(re.compile(r"\w+"))
    with urlopen(Request(f"{house}/api/presets", headers={"X-User": "ann"}), timeout=PATIENCE) as response:
        [saved] = [one for one in json.load(response)["presets"] if one["name"] == "Four jurors"]
    assert saved["config"] == {"jurorModels": [*QUICK[:3], "sim/eli"]}
    expect(ann.get_by_label("Text to judge")).to_have_value("All swans are white.")
    ask_here(ann)
    wait_for_the_end(ann)
    ann.goto(f"{house}/#/")
    expect(ann.get_by_role("combobox", name="Jurors 4")).to_have_value("sim/eli")
    expect(ann.get_by_label("Text to judge")).to_have_value("")


def ask_here(page: Page) -> None:
    page.locator(".question-box").last.fill("Is tea better than coffee?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".turn")


def test_a_name_that_is_taken_is_said_at_the_name(ann: Page) -> None:
    for said in ([], ["You already have a preset 'Plain'"]):
        choose(ann, "vote")
        ann.get_by_label("Preset", exact=True).select_option("")
        ann.get_by_role("button", name="Save as preset").click()
        ann.keyboard.type("Plain")
        ann.keyboard.press("Enter")
        expect(ann.locator(".save-preset")).to_have_count(len(said))
        expect(ann.locator(".save-preset .wrong")).to_have_text(said)
    ann.keyboard.press("Escape")
    expect(ann.locator(".save-preset")).to_have_count(0)


def test_modes_change_and_the_list_of_modes_stays_at_hand(ann: Page) -> None:
    distance = """() => document.querySelector('.house').getBoundingClientRect().top
      - document.querySelector('.modes').getBoundingClientRect().top"""
    choose_mode(ann, "vote")
    ann.wait_for_timeout(500)
    before = ann.evaluate(distance)
    ann.locator("input[name=mode]:checked").focus()
    for _ in MODES:
        ann.keyboard.press("ArrowDown")
        ann.wait_for_function(f"before => Math.abs(({distance})() - before) <= 1", arg=before)
        expect(ann.locator("input[name=mode]:checked")).to_be_in_viewport()


def test_every_form_is_free_of_faults_and_fits_a_phone(browser: Browser, house: str, axe: Path) -> None:
    page = visitor(browser, "eve")
    page.goto(f"{house}/#/")
    page.evaluate(axe.read_text("utf-8"))
    found: dict[str, Any] = {}
    for mode in MODES:
        page.set_viewport_size({"width": 1280, "height": 800})
        choose(page, mode)
        page.locator(".house details").evaluate_all("folds => folds.forEach((fold) => { fold.open = true })")
        if mode == "peer_review":
            page.get_by_label("Kind of review").select_option("custom")
        if mode == "specialist_panel":
            page.get_by_label("Role").first.select_option("custom")
        page.wait_for_timeout(400)
        photograph(page, f"ask-{mode}")
        found[mode] = page.evaluate(AXE, RULES)
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_timeout(100)
        photograph(page, f"ask-{mode}-phone")
        found[f"{mode} on a phone"] = page.evaluate("document.documentElement.scrollWidth > 360") or []
    page.get_by_role("combobox").first.click()
    found["open picker"] = page.evaluate(AXE, RULES)
    page.context.close()
    assert {place: faults for place, faults in found.items() if faults} == {}


def test_questions_to_begin_with_stand_only_where_a_question_is_asked(page: Page, address: str) -> None:
    page.goto(f"{address}/#/")
    examples = page.locator(".examples button").first
    expect(examples).to_be_visible()
    for mode in ("jury", "fact_check", "peer_review"):  # these work on a text
        choose_mode(page, mode)
        expect(examples).to_be_hidden()


@pytest.mark.parametrize("key", ["without a key", "with a key"])
def test_a_newcomer_gets_from_an_example_to_a_finished_debate_in_four_steps(
    page: Page, address: str, willing: str, key: str
) -> None:
    faults = faults_of(page)
    page.goto(f"{willing if key == 'with a key' else address}/#/")
    page.locator(".modes").get_by_text("Debate", exact=True).click()
    page.get_by_role("button", name="Should a team of five").click()
    page.keyboard.press("Enter")
    wait_for_the_end(page)
    expect(page.locator(".answer .prose")).not_to_be_empty()
    expect(page.locator(".answer .badge-simulated")).to_have_count(0 if key == "with a key" else 1)
    expect(page.locator(".turn .notice, .failures")).to_have_count(0)
    photograph(page, f"newcomer-{key}")
    assert faults == []


ROWS = """(group) => {
  const tops = [...group.children].map((child) => Math.round(child.getBoundingClientRect().top))
  return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length)
}"""


@pytest.mark.parametrize(
    ("mode", "group"), [("dialectic", ".roles"), ("decompose", ".rules"), ("tournament", ".rules")]
)
def test_four_fields_stand_in_two_rows_of_two_never_three_and_one(
    page: Page, address: str, mode: str, group: str
) -> None:
    page.goto(f"{address}/#/")
    choose_mode(page, mode)
    fields = page.locator(f".house {group}")
    if group == ".rules":
        page.locator(".house summary", has_text="Rules").click()
    expect(fields.locator("> *")).to_have_count(4)
    for width in (1280, 1200, 1024, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert fields.evaluate(ROWS) == ([1, 1, 1, 1] if width == 390 else [2, 2]), width


def test_workers_are_told_what_they_are_good_at(page: Page, address: str) -> None:
    page.goto(f"{address}/#/")
    choose(page, "decompose")
    page.get_by_text("Rules").click()
    page.get_by_label("bo", exact=True).fill("creative, legal")
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request) if "council/stream" in request.url else None)
    ask_here(page)
    assert asked[0].post_data_json["modeConfig"] == {"workerTags": {"sim/bo": ["creative", "legal"]}}
    wait_for_the_end(page)


def test_the_slash_finds_the_search_from_a_mode_too(page: Page, address: str) -> None:
    ask(page, address, "vote")
    page.goto(f"{address}/#/")
    choose(page, "vote")
    page.locator("input[name=mode]:checked").focus()
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()


def test_a_preset_whose_models_need_a_key_is_not_used_and_says_why(page: Page, tmp_path: Path) -> None:
    with server(simulated_server(tmp_path / "moot.db")) as (address, _):
        page.goto(f"{address}/#/")
        page.evaluate(
            """async () => {
              const models = ['openai/o3', 'google/gemini-2.5-pro', 'openai/o3']
              const body = { name: 'Real', mode: 'debate', config: { models } }
              const headers = { 'Content-Type': 'application/json' }
              const init = { method: 'POST', headers, body: JSON.stringify(body) }
              const { id } = await (await fetch('/api/presets', init)).json()
              await fetch(`/api/presets/${id}/default`, { method: 'PUT' })
            }"""
        )
        page.reload()
        choose_mode(page, "debate")
        notice = page.locator(".model-notice", has_text="Your default preset “Real” is not used")
        expect(notice).to_contain_text("These models need an OpenRouter key (OPENROUTER_API_KEY).")
        expect(page.locator(".seated")).to_contain_text("ada")
        page.get_by_label("Preset", exact=True).select_option(label="Real ★")
        expect(page.get_by_role("alert")).to_contain_text("These models need an OpenRouter key")
        page.get_by_label("Your question").fill("Is tea better than coffee?")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Use simulated models")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_count(0)
        page.get_by_label("Your question").press("Enter")
        wait_for_the_end(page)
        expect(page.locator(".answer .prose")).not_to_be_empty()
