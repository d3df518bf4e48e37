"""Brainstorm: ideas in clusters, and where the clusters stand."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import finish_runs
from tests.page.reader import open_run
from tests.page.scripted_runs import ScriptedRun


def test_every_idea_lies_in_one_cluster_and_whiskers_reach_from_the_lowest_to_the_highest_score(
    page: Page, address: str
) -> None:
    asked = (
        finish_runs(address, {"": ScriptedRun("brainstorm", "What to do with a barn?")})[""]
        for _ in range(12)
    )
    # Simulated curators differ: where one puts all into one cluster, there is nothing to score.
    run = next(run for run in asked if run.data("all_scoring_complete"))
    open_run(page, run.url)
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
