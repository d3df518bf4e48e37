"""Work done by many: reviews, matches, weights, tasks and ideas, as a reader sees them."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.page.conftest import Finished, finish
from tests.page.reader import opened
from tests.page.scripted_runs import LONG, ScriptedRun
from tests.page.scripted_works import WORK


def test_a_quotation_is_shown_in_the_work_and_an_invented_one_is_called_so(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["peer_review"].place)
    expect(page.locator(".quote.unfound")).to_have_count(1)
    expect(page.locator(".quote.unfound")).to_contain_text("an alarm rings at all times quote not found")
    page.get_by_role("button", name=re.compile("primary host. If it$")).click()
    # The other quotation lies within this one: they share a piece, and each is named where it ends.
    expect(page.locator("mark.current")).to_have_text(
        ["The cache is one process", "on the primary host. If it"]
    )
    expect(page.locator("mark.current").first).to_be_in_viewport()
    assert page.locator(".spot-name").all_text_contents() == ["R2-F1", "R1-F1"]
    page.locator(".spot-name").first.click()
    expect(page.locator("mark.current")).to_have_text("The cache is one process")
    expect(page.locator(".issue.current")).to_contain_text("A single process")
    assert (page.locator(".annotated").text_content() or "").replace("R2-F1", "").replace("R1-F1", "") == WORK


def test_scores_stand_by_reviewer_disputes_are_framed_and_an_empty_chair_stays_in_sight(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["peer_review"].place)
    rows = page.locator(".heats tbody tr")
    assert rows.nth(1).locator(".heat").all_text_contents() == ["2", "5"]
    expect(rows.nth(1)).to_have_class("disputed")
    expect(page.locator("tr.disputed")).to_have_count(1)
    expect(page.locator(".absent")).to_contain_text(re.compile("account has no credit"))
    expect(page.locator(".measures")).to_contain_text("1 of 2 issues")
    shared = page.locator(".issue", has_text="A single process")
    expect(shared.locator(".issue-by .sign")).to_have_count(2)
    expect(shared).to_contain_text("found by 2")


def test_actions_are_ticked_off_and_stay_so(page: Page, finished: dict[str, Finished]) -> None:
    opened(page, finished["peer_review"].place)
    boxes = page.locator(".actions input")
    expect(boxes).to_have_count(2)
    expect(page.locator(".actions li", has_text="No alarm")).to_contain_text("verify first")
    boxes.first.check()
    page.reload()
    expect(boxes.first).to_be_checked()
    expect(page.get_by_text("1 of 2 actions done")).to_be_visible()


def test_a_bracket_of_five_has_four_matches_three_byes_and_one_who_never_came(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["tournament"].place)
    bracket = page.locator(".bracket")
    expect(bracket.locator("button.game")).to_have_count(4)
    expect(bracket.locator(".game.bye")).to_have_count(3)
    expect(bracket.locator(".path.won")).to_have_count(7)
    expect(bracket.locator(".game-marks", has_text="⇄ split")).to_have_count(4)
    expect(bracket.locator(".champion")).to_contain_text("ann")
    expect(page.locator(".answer .reason")).to_have_text(
        "It had a bye in round 1, beat dan in round 2 and beat bob in the final."
    )
    expect(page.locator(".picture .absent")).to_contain_text("fay")
    expect(page.locator(".gauge")).to_contain_text("the judge depends on the order")


def test_a_match_shows_both_answers_and_both_verdicts_on_demand(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["tournament"].place)
    final = page.locator("button.game").last
    final.focus()
    page.keyboard.press("Enter")
    near = page.locator(".duel-near")
    expect(near).to_contain_text("The answer of ann.")
    expect(near).to_contain_text("The answer of bob.")
    expect(near.locator(".verdicts li")).to_have_text(
        [re.compile("ann read first: ann 8.0 : 6.0"), re.compile("bob read first: bob 6.0 : 8.0")]
    )
    expect(near).to_contain_text("by the draw")
    expect(final).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Enter")
    expect(near).to_have_count(0)


def test_a_bracket_is_taken_away_in_one_file_with_all_its_matches(
    page: Page, finished: dict[str, Finished], tmp_path: Path
) -> None:
    opened(page, finished["tournament"].place)
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page").click()
    download.value.save_as(file := tmp_path / "kept.html")
    page.goto(f"file://{file}")
    expect(page.locator(".bracket .game")).to_have_count(7)
    expect(page.locator(".bracket .game").last).to_contain_text("ann")
    page.get_by_text("All matches, and what the judge said").click()
    expect(page.locator(".duel-near").last).to_contain_text("The first is firmer.")


def expect_shares(page: Page, *shares: str) -> None:
    expect(page.locator(".weigh-figures strong")).to_have_text([f"{share} %" for share in shares])


def test_the_preview_gives_the_figures_of_the_formula_and_says_that_it_is_one(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["confidence_weighted"].place)
    expect_shares(page, "28.45", "25.75", "20.05", "25.75")
    expect(page.get_by_text("Preview", exact=True)).to_have_count(0)
    page.get_by_label("over").select_option("log_odds")
    expect_shares(page, "59.69", "17.80", "4.71", "17.80")
    expect(page.get_by_text("Preview", exact=True)).to_be_visible()
    page.get_by_label("over").select_option("softmax")
    slider = page.get_by_label("What if confidence counted more")
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
        if page.locator("output").text_content() == "0.50":
            break
    expect_shares(page, "31.91", "26.12", "15.85", "26.12")
    page.keyboard.press("End")
    expect(page.locator("output")).to_have_text("5.00")
    page.keyboard.press("Home")
    expect(page.locator("output")).to_have_text("0.10")
    page.get_by_role("button", name="As it was").click()
    expect_shares(page, "28.45", "25.75", "20.05", "25.75")


def test_confidence_that_is_too_great_missing_or_never_came_is_told_apart(
    page: Page, finished: dict[str, Finished]
) -> None:
    opened(page, finished["confidence_weighted"].place)
    rows = page.locator(".weigh-rows li")
    expect(rows).to_have_count(5)
    expect(rows.nth(0)).to_contain_text("outlier")
    expect(rows.nth(3)).to_contain_text("no number given")
    expect(rows.nth(4)).to_contain_text("did not answer")
    expect(rows.nth(4)).to_contain_text(LONG)
    expect(page.locator(".streams path")).to_have_count(4)
    expect(page.locator(".card").first).to_contain_text("overconfident")


def test_the_graph_shows_a_part_on_demand_and_the_strips_who_worked_when(
    page: Page, finished: dict[str, Finished]
) -> None:
    run = finished["decompose"]
    opened(page, run.place)
    boxes = page.locator(".graph button.task")
    expect(boxes).to_have_count(5)
    expect(page.locator(".graph .edge")).to_have_count(4)
    wide = [box["width"] for box in (one.bounding_box() for one in boxes.all()) if box]
    assert wide[0] == wide[4] < wide[2] == wide[3] < wide[1]  # by complexity
    boxes.nth(1).click()
    near = page.get_by_role("region", name="Part 2")
    expect(near).to_contain_text("Do The hard part")
    expect(near).to_contain_text("Here is my part.")
    strips = page.locator(".gantt li")
    expect(strips).to_have_count(2)
    attempts = sum(one["attempts"] for one in run.data("task_complete"))
    expect(page.locator(".stretch")).to_have_count(attempts)
    expect(strips.nth(0).locator(".stretch-done")).to_have_count(5)
    expect(strips.nth(1).locator(".stretch-again")).to_have_count(attempts - 5)
    expect(strips.nth(1).locator("svg[role=img]")).to_have_attribute(
        "aria-label", re.compile("failed, given to another")
    )


def test_every_idea_lies_in_one_cluster_and_whiskers_reach_from_the_lowest_to_the_highest_score(
    page: Page, address: str
) -> None:
    asked = (
        finish(address, {"": ScriptedRun("brainstorm", "What to do with a barn?")})[""] for _ in range(12)
    )
    # Simulated curators differ: where one puts all into one cluster, there is nothing to score.
    run = next(run for run in asked if run.data("all_scoring_complete"))
    opened(page, run.place)
    [grouped], [scored] = run.data("clustering_complete"), run.data("all_scoring_complete")
    expect(page.locator(".cluster:not(.loose)")).to_have_count(grouped["totalClusters"])
    expect(page.locator(".clusters .idea-card")).to_have_count(grouped["uniqueIdeas"])
    winner = page.locator(".cluster.winning")
    expect(winner).to_have_count(1)
    expect(winner.locator("h4")).to_contain_text(run.data("refinement_start")[0]["cluster"]["name"])
    several = [one for one in grouped["merged"] if len(one["sourceSeats"]) > 1]
    expect(page.locator(".clusters .idea-card .note")).to_have_count(len(several))
    for one in scored["rankedClusters"]:
        scores = [
            score["feasibility"]
            for report in run.data("scorer_complete")
            for score in report["scores"]
            if score["clusterId"] == one["id"]
        ]
        left, right = (f"{36 + (score - 1) / 4 * 280:g}" for score in (min(scores), max(scores)))
        expect(page.locator(f".bubble-whisker[d^='M{left} '][d*='H{right}M']")).not_to_have_count(0)
    card = page.locator(".clusters .idea-card").first
    card.locator("summary").click()
    expect(card.locator("details p")).to_be_visible()
