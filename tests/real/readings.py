"""What each mode's own parsers read in a reply, as plain values that can be held against the truth.

None: nothing could be read. A value of None inside: that part could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from moot.deliberation.ballots import choice_of
from moot.deliberation.cut_replies import legible
from moot.deliberation.parsing import NOTHING_SHOWN, QUOTATION_MARKS, Shown
from moot.kernel.unusable_text import why_unusable
from moot.kernel.values import Answer
from moot.modes.blueprint.edits import read_edits
from moot.modes.blueprint.outline import read_outline
from moot.modes.blueprint.section import clean_section
from moot.modes.brainstorm.clusters import read_clusters
from moot.modes.brainstorm.ideas import Idea, UniqueIdea, read_ideas
from moot.modes.brainstorm.scores import read_cluster_scores
from moot.modes.chain.versions import read_version
from moot.modes.confidence_weighted.calibration import read_synthesis as read_weighted_synthesis
from moot.modes.confidence_weighted.calibration import read_verdicts
from moot.modes.confidence_weighted.confidence import read_confident_answer
from moot.modes.council.rankings import read_ranking
from moot.modes.debate.revisions import read_revision
from moot.modes.decompose.plan import read_plan
from moot.modes.delphi.answers import read_answer, read_confidence, read_estimate
from moot.modes.delphi.classification import read_classification, read_codebook
from moot.modes.dialectic.critiques import Limits, read_critique
from moot.modes.dialectic.grades import read_grade
from moot.modes.dialectic.proposals import read_proposal
from moot.modes.dialectic.proposals import read_synthesis as read_dialectic_synthesis
from moot.modes.fact_check.claims import read_claims
from moot.modes.fact_check.consensus import read_verifications
from moot.modes.fact_check.report import read_commentary
from moot.modes.jury.foreman import read_report as read_foreman
from moot.modes.jury.scorecards import read_assessment
from moot.modes.peer_review.issues import read_consolidation
from moot.modes.peer_review.reviews import Grounds, read_review
from moot.modes.peer_review.rubrics import RUBRICS
from moot.modes.red_team.defense import read_defence
from moot.modes.red_team.findings import AttackFinding, read_attack
from moot.modes.red_team.material import read_material
from moot.modes.red_team.rulings import read_judgement
from moot.modes.specialist_panel.assessment import read_synthesis as read_panel_synthesis
from moot.modes.specialist_panel.reactions import read_cross_review
from moot.modes.specialist_panel.reports import SpecialistReport
from moot.modes.specialist_panel.reports import read_report as read_specialist
from moot.modes.specialist_panel.roles import ROLES
from moot.modes.tournament.judging import read_judge

Context = Mapping[str, Any]
Reading = dict[str, Any] | None
OWN_ANSWER = "My first answer, which nobody in the corpus repeats."


def reply(text: str, seat: int = 1, finish: str | None = None) -> Answer:
    return Answer(seat=seat, model="real/model", response=text, response_time_ms=1, finish_reason=finish)


def ended(text: str, context: Context) -> Answer:
    """A reply that ended as the context says."""
    return reply(text, context.get("seat", 1), context.get("finish"))


def dealt(context: Context) -> list[str]:
    return [f"Response {letter}" for letter in "ABCDEFGH"[: context.get("dealt", 3)]]


def letter_of(label: str) -> str:
    return label.removeprefix("Response ")


def vote(text: str, context: Context) -> Reading:
    label = choice_of(ended(text, context), dealt(context)).meaning
    return {"vote": letter_of(label)} if label in dealt(context) else None


def ranking(text: str, context: Context) -> Reading:
    places = read_ranking(text, dealt(context)).places
    return {"ranking": ">".join(letter_of(one.label) for one in places)} if places else None


def revision(text: str, context: Context) -> Reading:
    read = read_revision(reply(OWN_ANSWER), ended(text, context))
    if not read.parse_success:
        return None
    return {"decision": read.decision, "text": read.revised_response}


def confident(text: str, _: Context) -> Reading:
    read = read_confident_answer(text)
    if not read.response and read.confidence is None:
        return None
    return {"answer": read.response or None, "confidence": read.confidence, "reasoning": read.reasoning}


def weighted_synthesis(text: str, _: Context) -> Reading:
    synthesis, notes = read_weighted_synthesis(text)
    verdicts = [f"{letter} {one.verdict}" for letter, one in read_verdicts(notes).items() if one.verdict]
    return {"synthesis": synthesis or None, "verdicts": verdicts} if synthesis or verdicts else None


def match(text: str, context: Context) -> Reading:
    read = read_judge(ended(text, context), NOTHING_SHOWN.with_nonce(context.get("nonce", "")))
    if read.verdict is None:
        return None
    scores = f"{read.scores.first:g}:{read.scores.second:g}" if read.scores else None
    return {
        "verdict": {"Response A": "A", "Response B": "B"}.get(read.verdict, read.verdict),
        "scores": scores,
        "reasoning": read.reasoning,
    }


def classification(text: str, _: Context) -> Reading:
    read = read_classification(text, NOTHING_SHOWN)
    bounds = f"{read.bounds[0]:g}..{read.bounds[1]:g}" if read.bounds else None
    found = {"type": read.type, "bounds": bounds, "options": list(read.options), "unit": read.unit}
    return found if read.type else None


def estimate(text: str, context: Context) -> Reading:
    figure = read_estimate(text, context.get("unit"), None, NOTHING_SHOWN)
    return (
        {"estimate": float(figure.value), "confidence": read_confidence(text, NOTHING_SHOWN)}
        if figure
        else None
    )


def choice(text: str, context: Context) -> Reading:
    answer = read_answer(text, context["options"], NOTHING_SHOWN)
    return {"choice": answer, "confidence": read_confidence(text, NOTHING_SHOWN)} if answer else None


def codebook(text: str, context: Context) -> Reading:
    groups = read_codebook(text, context["answers"])
    return {"groups": [f"{name}: {members}" for name, members in groups]} if groups else None


def juror(text: str, context: Context) -> Reading:
    read = read_assessment(ended(text, context))
    if not read.parse_success:
        return None
    scores = " ".join("–" if score is None else str(score) for score in read.scores.values())
    lists = [*read.strengths, *read.weaknesses, *read.recommendations]
    return {"verdict": read.verdict, "scores": scores, "points": lists}


def foreman(text: str, context: Context) -> Reading:
    jurors = [read_assessment(reply("VERDICT: APPROVE", seat)) for seat in (1, 2, 3)]
    read = read_foreman(text, jurors, Shown(context.get("shown", ())))
    points = [*read.strengths, *(one for one in read.minority if one.kind == "strength")]
    weak = [*read.weaknesses, *(one for one in read.minority if one.kind == "weakness")]
    if not read.readable:
        return None
    return {
        "summary": read.summary or None,
        "strengths": [one.text for one in points],
        "weaknesses": [one.text for one in weak],
        "advice": list(read.recommendations),
    }


def version(text: str, context: Context) -> Reading:
    read = read_version(text, context.get("nonce", "6de3092e"))
    return (
        {"starts": read.text, "ends": read.text, "note": read.note, "cut": read.end_missing}
        if read.text
        else None
    )


def review(text: str, context: Context) -> Reading:
    rubric = RUBRICS[context.get("rubric", "code_review")]
    read = read_review(ended(text, context), rubric, Grounds(context.get("work", "")), 2)
    if not read.parse_success:
        return None
    scores = " ".join("–" if one.score is None else f"{one.score:g}" for one in read.scores)
    return {
        "scores": scores,
        "findings": [f"{one.severity} {one.category}" for one in read.findings],
        "titles": [one.title for one in read.findings],
        "fields": [f"{one.location} / {one.description} / {one.recommendation}" for one in read.findings],
    }


def consolidation(text: str, context: Context) -> Reading:
    ids = context.get("findings", [])
    read = read_consolidation(text, ids)
    if not read.usable:
        return None
    groups = [" ".join(group.ids) for group in read.groups if group.title or group.description]
    return {"groups": groups, "disputes": [one.topic for one in read.disputes], "summary": read.summary}


def material(text: str, context: Context) -> Reading:
    read = read_material(text, context.get("work", ""))
    return None if read.fallback else {"kind": read.kind, "starts": read.text}


def attack(text: str, context: Context) -> Reading:
    read = read_attack(text, 1, context.get("work", ""), (), NOTHING_SHOWN)
    if not read.readable:
        return None
    findings = [f"{one.severity} {one.title}" for one in read.findings]
    fields = [f"{one.vulnerability} / {one.exploit_scenario}" for one in read.findings]
    return {"findings": findings, "nothing": read.no_flaws, "fields": fields}


def defence(text: str, context: Context) -> Reading:
    findings = [_attack_finding(number) for number in range(1, context.get("findings", 2) + 1)]
    read = read_defence(text, findings, NOTHING_SHOWN)
    if not read.readable:
        return None
    verdicts = [f"{one.finding_id} {one.verdict}" for one in read.responses if one.verdict]
    fields = [f"{one.reasoning} / {one.revision}" for one in read.responses]
    return {"verdicts": verdicts, "fields": fields, "revised": read.revised.text if read.revised else None}


def _attack_finding(number: int) -> AttackFinding:
    return AttackFinding(
        id=f"R1-F{number}",
        title=f"Fault {number}",
        severity="HIGH",
        severity_parsed=True,
        location="1",
        evidence=None,
        evidence_verified=None,
        vulnerability="It fails.",
        exploit_scenario="It fails.",
        repeat_of=None,
    )


def judgement(text: str, context: Context) -> Reading:
    ids = context.get("ids", ["R1-F1", "R1-F2"])
    read = read_judgement(text, ids, context.get("work", ""), NOTHING_SHOWN)
    if not read.readable:
        return None
    rulings = [f"{id} {line.ruling}" for id, line in read.rulings.items()]
    return {"rulings": rulings, "hardened": read.hardened, "risks": list(read.remaining_risks)}


def claims(text: str, _: Context) -> Reading:
    read = read_claims(text)
    if read is None:
        return None
    fields = [f"{one.quote} / {one.type}" for one in read]
    return {"claims": [one.claim for one in read if one.claim], "nothing": not read, "fields": fields}


def verifications(text: str, context: Context) -> Reading:
    ids = [f"claim_{number}" for number in range(1, context.get("claims", 3) + 1)]
    read = read_verifications(text, ids)
    if not read:
        return None
    fields = [f"{one.evidence} / {one.correction} / {one.confidence}" for one in read.values()]
    return {"verdicts": [f"{id} {one.verdict}" for id, one in read.items()], "fields": fields}


def commentary(text: str, _: Context) -> Reading:
    read = read_commentary(text)
    parts = (read.summary, read.assessment, read.verified, read.disputed, read.unverifiable)
    return {"parts": list(parts)} if read.readable else None


def bare(title: str) -> str:
    return title.strip(f"{QUOTATION_MARKS} ")


def ideas(text: str, _: Context) -> Reading:
    read = read_ideas(text)
    texts = [one.description for one in read]
    return {"ideas": [bare(one.title) for one in read], "texts": texts} if read else None


def clusters(text: str, context: Context) -> Reading:
    read = read_clusters(text, [_unique_idea(number) for number in range(1, context.get("ideas", 6) + 1)])
    named = [f"{bare(one.name)}: {' '.join(str(place + 1) for place in one.members)}" for one in read]
    fields = [f"{one.theme} / {one.promise}" for one in read]
    return {"clusters": named, "fields": fields} if read else None


def _unique_idea(number: int) -> UniqueIdea:
    idea = Idea(id=f"model_0_idea_{number}", title=f"Idea {number}", description="", source_label="Model A")
    return UniqueIdea(idea, (idea.id,), ("real/model",), (1,), {})


def cluster_scores(text: str, context: Context) -> Reading:
    read = read_cluster_scores(text, context.get("clusters", 3))
    scores = [
        f"{one.cluster_id.removeprefix('cluster_')}: {one.novelty:g} {one.feasibility:g} {one.impact:g}"
        for one in read
    ]
    return {"scores": scores} if read else None


def outline(text: str, _: Context) -> Reading:
    read = read_outline(text)
    if not read.sections:
        return None
    fields = [
        f"{one.description} / {one.key_topics} / {one.length} / {one.excludes}" for one in read.sections
    ]
    titles = [one.title for one in read.sections]
    return {"title": read.title, "sections": titles, "fields": fields, "terms": len(read.terms)}


def section(text: str, context: Context) -> Reading:
    body = clean_section(text, context["number"], context["title"]).body
    return {"starts": body} if body else None


def edits(text: str, context: Context) -> Reading:
    read = read_edits(text, context.get("titles", ()), NOTHING_SHOWN)
    if read is None:
        return None
    return {
        "summary": read.summary,
        "transitions": [str(number) for number in read.transitions],
        "terms": [f"{variant} > {term}" for variant, term in read.terms.items()],
        "cuts": [f"{cut.duplicate[0]}.{cut.duplicate[1]}" for cut in read.cuts],
        "conflicts": [one.text for one in read.conflicts],
        "todos": [text for _, text in read.todos],
    }


def specialist(text: str, context: Context) -> Reading:
    read = _report(text, context)
    if not read.key_findings and read.average_score is None:
        return None
    scores = " ".join("–" if one.score is None else f"{one.score:g}" for one in read.criteria_scores)
    return {"scores": scores, "findings": len(read.key_findings), "advice": len(read.top_recommendations)}


def _report(text: str, context: Context) -> SpecialistReport:
    role = ROLES[context.get("role", "security_expert")]
    return read_specialist(ended(text, context), role, context.get("seat", 1), 2, "")


def cross_review(text: str, context: Context) -> Reading:
    other = 3 - context.get("seat", 1)
    known = context.get("known", [f"S{other}.{n}" for n in (1, 2, 3)])
    read = read_cross_review(ended(text, context), _report("", context), set(known), NOTHING_SHOWN)
    if read.is_blank:
        return None
    content = [*read.reactions, *read.ignored_reactions, *read.rescores, *read.gaps]
    return {
        "reactions": [f"{one.finding_id} {one.reaction}" for one in read.reactions],
        "rescores": [f"{one.criterion} {one.to:g}" for one in read.rescores],
        "gaps": list(read.gaps),
        "nothing": not content,
    }


def panel_synthesis(text: str, context: Context) -> Reading:
    read = read_panel_synthesis(text, context.get("known", ()))
    if not read.readable:
        return None
    return {
        "convergent": read.convergent,
        "divergent": read.divergent,
        "risks": len(read.matrix),
        "advice": read.recommendations,
    }


def plan(text: str, _: Context) -> Reading:
    read = read_plan(text)
    if not read.tasks:
        return None
    needs = [f"{task.id}<{need}" for task in read.tasks for need in task.dependencies]
    fields = [f"{task.description} / {task.complexity} / {task.expertise}" for task in read.tasks]
    return {"tasks": [f"{task.id} {task.title}" for task in read.tasks], "needs": needs, "fields": fields}


def proposal(text: str, _: Context) -> Reading:
    read = read_proposal(text)
    return {"answer": read.answer, "confidence": read.confidence} if read.parse_success else None


def revised_proposal(text: str, _: Context) -> Reading:
    read = read_proposal(text, open_ids=("C1", "M1"))
    replies = [f"{one.id} {one.decision}" for one in read.replies]
    return {"answer": read.answer, "confidence": read.confidence, "replies": replies}


def critique(text: str, _: Context) -> Reading:
    read = read_critique(text, Limits())
    if not read.issues and read.score is None and not read.ready:
        return None
    return {
        "issues": [f"{one.severity} {one.title}" for one in read.issues],
        "score": read.score,
        "ready": read.ready,
    }


def dialectic_synthesis(text: str, _: Context) -> Reading:
    read = read_dialectic_synthesis(text)
    return {"answer": read.answer, "confidence": read.confidence} if read.answer else None


def grade(text: str, _: Context) -> Reading:
    read = read_grade(text)
    return None if read.auto_score is None else {"score": read.auto_score}


def free_text(text: str, context: Context) -> Reading:
    return {"usable": why_unusable(text, (), context["finish"]) is None}


Reader = Callable[[str, Context], Reading]


def of_legible(read: Reader) -> Reader:
    """As pipelines do: a parser is given what may be read of a reply."""
    return lambda text, context: read(legible(ended(text, context)), context)


OF_REPLIES: Mapping[tuple[str, str], Reader] = {
    **{
        (mode, "text"): free_text
        for mode in ("brainstorm", "council", "debate", "decompose", "delphi", "fact_check")
    },
    ("vote", "vote"): vote,
    ("debate", "vote"): vote,
    ("debate", "revision"): revision,
    ("tournament", "match"): match,
    ("jury", "deliberation"): juror,
    ("peer_review", "review"): review,
    ("specialist_panel", "report"): specialist,
    ("specialist_panel", "cross_review"): cross_review,
}
OF_TEXTS: Mapping[tuple[str, str], Reader] = {
    ("council", "ranking"): ranking,
    ("confidence_weighted", "answer"): confident,
    ("confidence_weighted", "synthesis"): weighted_synthesis,
    ("delphi", "classify"): classification,
    ("delphi", "estimate"): estimate,
    ("delphi", "choice"): choice,
    ("delphi", "codebook"): codebook,
    ("jury", "verdict"): foreman,
    ("chain", "version"): version,
    ("peer_review", "consolidation"): consolidation,
    ("red_team", "material"): material,
    ("red_team", "attack"): attack,
    ("red_team", "defence"): defence,
    ("red_team", "judgement"): judgement,
    ("fact_check", "extract"): claims,
    ("fact_check", "verify"): verifications,
    ("fact_check", "commentary"): commentary,
    ("brainstorm", "ideas"): ideas,
    ("brainstorm", "clusters"): clusters,
    ("brainstorm", "scores"): cluster_scores,
    ("blueprint", "outline"): outline,
    ("blueprint", "section"): section,
    ("blueprint", "assembly"): edits,
    ("specialist_panel", "synthesis"): panel_synthesis,
    ("decompose", "plan"): plan,
    ("dialectic", "proposal"): proposal,
    ("dialectic", "revision"): revised_proposal,
    ("dialectic", "critique"): critique,
    ("dialectic", "synthesis"): dialectic_synthesis,
    ("dialectic", "grade"): grade,
}
READERS: Mapping[tuple[str, str], Reader] = {
    **OF_REPLIES,
    **{kind: of_legible(read) for kind, read in OF_TEXTS.items()},
}
