// Issues of a red team: a finding and its repeats are one, with the gravest severity and the last word on it.

import type { Attack, AttackFinding as Finding, DefenceRound, RulingLine } from './wire'

export const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const
export type Severity = (typeof SEVERITIES)[number]
export const ANSWERS = ['accepted', 'rebutted', 'unaddressed'] as const
export const OUTCOMES = ['fixed', 'dismissed', 'contested', 'open'] as const

export interface Issue {
  id: string
  title: string
  severity: Severity
  /** What the author said to it; null while the defence has not spoken. */
  answer: (typeof ANSWERS)[number] | null
  /** What the judge made of it; null while there is no judgement. */
  outcome: (typeof OUTCOMES)[number] | null
}

const graver = (a: Severity, b: Severity) => (SEVERITIES.indexOf(a) <= SEVERITIES.indexOf(b) ? a : b)

/** What the finding is a repeat of, however often it was repeated. */
function rootOf(id: string, repeats: Map<string, string | null>): string {
  const seen = new Set<string>()
  let root = id
  for (
    let before = repeats.get(root);
    before && repeats.has(before) && !seen.has(before);
    before = repeats.get(root)
  ) {
    seen.add(root)
    root = before
  }
  return root
}

export function issuesOf(
  attacks: Attack[],
  defences: DefenceRound[],
  rulings: RulingLine[],
  selfJudged: boolean,
): Issue[] {
  const findings = attacks.flatMap((attack) =>
    attack.findings.map((finding) => ({ finding, round: attack.round })),
  )
  const repeats = new Map(findings.map(({ finding }) => [finding.id, finding.repeatOf]))
  const roots = [...new Set(findings.map(({ finding }) => rootOf(finding.id, repeats)))]
  return roots.map((id) => {
    const members = findings.filter(({ finding }) => rootOf(finding.id, repeats) === id)
    const verdicts = members.map(({ finding, round }) =>
      verdictOn(
        finding,
        defences.find((one) => one.round === round),
      ),
    )
    const verdict =
      verdicts.findLast((one) => one !== null && one !== 'unaddressed') ??
      verdicts.findLast((one) => one !== null) ??
      null
    const ruling =
      members.flatMap(({ finding }) => rulings.filter((one) => one.id === finding.id)).at(-1)?.ruling ?? null
    const answer = verdict ?? (ruling ? 'unaddressed' : null)
    return {
      id,
      title: members[0]!.finding.title,
      severity: members.map(({ finding }) => finding.severity).reduce(graver),
      answer,
      outcome:
        ruling === null
          ? null
          : ruling === 'DISMISSED' && selfJudged && answer === 'rebutted'
            ? 'contested'
            : (ruling.toLowerCase() as 'fixed' | 'dismissed' | 'open'),
    }
  })
}

function verdictOn(finding: Finding, defence: DefenceRound | undefined): Issue['answer'] {
  if (!defence) return null
  const verdict = defence.responses.findLast((one) => one.findingId === finding.id)?.verdict
  return verdict === 'ACCEPT' ? 'accepted' : verdict === 'REBUT' ? 'rebutted' : 'unaddressed'
}
