import type { FinalAnswer, PictureProps } from '../../run/mode_part'
import { type Story, eventsOf } from '../../run/story'
import { Stack } from '../../ui/bars'
import { duration, percent, plural } from '../../ui/format'
import { Markdown } from '../../ui/markdown'
import { SeatTexts } from '../../ui/seat_texts'
import { Fold, Section } from '../../ui/section'
import { WordChange, WordDiff } from '../../ui/word_diff'
import { IssueFlow } from './issue_flow'
import { type Issue, SEVERITIES, issuesOf } from './issues'
import { Round } from './round'
import type { Events } from './wire'
import './picture.css'

const { last, every } = eventsOf<Events>()

export function answer(story: Story): FinalAnswer | null {
  const synthesis = last(story, 'synthesize_complete')?.data
  if (!synthesis) return null
  const { residualRisk, remainingRisks } = synthesis
  const still =
    residualRisk === 'NONE' ? 'no finding left open' : `highest open risk: ${residualRisk.toLowerCase()}`
  // A judge may see a risk that no finding named.
  const beyond =
    remainingRisks.length > 0 ? `; ${plural(remainingRisks.length, 'risk')} noted by the judge` : ''
  return {
    text: `${synthesis.hardenedOutput}\n\n${synthesis.auditSummary}`,
    by: `Hardened in ${plural(synthesis.totalRounds, 'round')}; ${still}${beyond}`,
  }
}

export function Picture({ story }: PictureProps) {
  const first = last(story, 'generate_complete')?.data
  const attacks = every(story, 'attack_complete').map((event) => event.data)
  const defences = new Map(every(story, 'defend_complete').map((event) => [event.data.round, event.data]))
  const synthesis = last(story, 'synthesize_complete')?.data
  const issues = issuesOf(
    attacks,
    [...defences.values()],
    synthesis?.rulings ?? [],
    synthesis?.selfJudged ?? false,
  )
  const rulings = new Map(synthesis?.rulings.map((one) => [one.id, one]) ?? [])
  return (
    <>
      {attacks.length > 0 && (
        <Section
          title="Issues and how they were resolved"
          note={
            synthesis &&
            (synthesis.hardeningScore === null
              ? 'no score, because nothing was found'
              : `hardening score ${synthesis.hardeningScore} of 100, ${synthesis.hardeningConfidence.toLowerCase()} confidence`)
          }
        >
          {issues.length === 0 ? (
            <p className="hint">
              {attacks.some((one) => one.noFlaws)
                ? 'The attacker found nothing. That does not prove there are no faults.'
                : 'No finding could be read.'}
            </p>
          ) : (
            <SeverityLedger issues={issues} judged={synthesis !== undefined} />
          )}
          {issues.length > 0 && <IssueFlow issues={issues} judged={synthesis !== undefined} />}
          {synthesis?.acceptanceRate != null && (
            <p className="hint">
              The author accepted {percent(synthesis.acceptanceRate)} of the attacks it answered
              {synthesis.repeats > 0 &&
                `; ${plural(synthesis.repeats, 'finding')} came up again, counted once`}
              .{synthesis.selfJudged && ' Author and judge are the same model.'}
            </p>
          )}
        </Section>
      )}
      {attacks.map((attack) => (
        <Round
          key={attack.round}
          attack={attack}
          defence={defences.get(attack.round)}
          rulings={rulings}
          judged={synthesis !== undefined}
          before={versionBefore(attack.round, story)}
        />
      ))}
      {synthesis && synthesis.hardenedOutput !== versionBefore(Infinity, story) && (
        <Section
          title="The judge’s final edits"
          note={
            <WordChange
              before={wordsIn(versionBefore(Infinity, story))}
              after={wordsIn(synthesis.hardenedOutput)}
            />
          }
        >
          <Fold title="The judge’s changes">
            <WordDiff before={versionBefore(Infinity, story)} after={synthesis.hardenedOutput} />
          </Fold>
        </Section>
      )}
      {first && (
        <Section
          title="The original text"
          folded
          note={
            first.fallback &&
            (first.fallback === 'generator_failed'
              ? 'as submitted: the author failed'
              : 'as submitted: the author changed too much')
          }
        >
          <SeatTexts
            entries={[
              {
                model: first.model,
                role: 'author',
                text: first.structuredContent,
                note: duration(first.responseTimeMs),
              },
            ]}
          />
        </Section>
      )}
      {synthesis && synthesis.remainingRisks.length > 0 && (
        <Section title="Remaining risks">
          <Markdown text={synthesis.remainingRisks.map((risk) => `- ${risk}`).join('\n')} />
        </Section>
      )}
    </>
  )
}

const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean).length

/** The version that was attacked in a round: the last one adopted before it. */
function versionBefore(round: number, story: Story): string {
  const adopted = every(story, 'defend_complete').filter(
    (event) => event.data.round < round && event.data.revisionAdopted,
  )
  return adopted.at(-1)?.data.revisedContent ?? last(story, 'generate_complete')?.data.structuredContent ?? ''
}

/** The severity ledger: all that was raised above, what is still open beneath it on the same scale. */
function SeverityLedger({ issues, judged }: { issues: Issue[]; judged: boolean }) {
  const parts = (those: Issue[], word: string) =>
    SEVERITIES.map((name) => ({
      name: `${name.toLowerCase()} ${word}`,
      count: those.filter((one) => one.severity === name).length,
      kind: name.toLowerCase(),
    }))
  return (
    <>
      <Stack label="Found" of={issues.length} parts={parts(issues, 'found')} />
      {judged && (
        <Stack
          label="Left"
          of={issues.length}
          none="none left"
          parts={parts(
            issues.filter((one) => one.outcome === 'open'),
            'left',
          )}
        />
      )}
    </>
  )
}
