import { Part, Table, Texts, figure, many, seconds } from '../parts'
import { Who } from '../seats'
import { last } from '../story'
import type { ModePart } from './part'

export const council: ModePart = {
  answer(story) {
    const done = last(story, 'council', 'stage3_complete')?.data
    return done ? { text: done.response, by: `Written by the chairman, ${done.model}` } : null
  },
  Picture({ story }) {
    // The opening event is the first stage's start, so the answers carry the story from here.
    const answers = last(story, 'council', 'stage1_complete')?.data
    const ranked = last(story, 'council', 'stage2_complete')
    const labels = Object.fromEntries(Object.entries(ranked?.metadata.labelToSeat ?? {}).map(([label, seat]) => [seat, label]))
    return (
      <>
        {ranked && (
          <Part title="How they ranked each other" note={`${many(ranked.data.length, 'evaluator')}, names hidden`}>
            <Table
              label="Aggregate ranking"
              head={['Place', 'Who', 'Read as', 'Average place', 'Rankings']}
              rows={ranked.metadata.aggregateRankings.map((one, place) => [
                place + 1,
                <Who key="who" seat={one.seat} model={one.model} />,
                labels[one.seat],
                <span key="rank" className="rank">
                  <Scale at={one.averageRank} of={ranked.metadata.aggregateRankings.length} />
                  {figure(one.averageRank, 2)}
                </span>,
                one.rankingsCount,
              ])}
            />
            <Texts
              entries={ranked.data.map((one) => ({
                seat: one.seat,
                model: one.model,
                text: one.rankingText,
                note: one.parsedRanking.map((entry) => entry.label.replace('Response ', '')).join(' › ') || 'no ranking could be read',
              }))}
            />
          </Part>
        )}
        {answers && (
          <Part title="What each answered">
            <Texts entries={answers.map((one) => ({ seat: one.seat, model: one.model, text: one.response, note: seconds(one.responseTimeMs) }))} />
          </Part>
        )}
      </>
    )
  },
}

function Scale({ at, of }: { at: number; of: number }) {
  const x = of > 1 ? 6 + ((at - 1) / (of - 1)) * 68 : 40
  return (
    <svg className="scale" width="80" height="12" viewBox="0 0 80 12" aria-hidden="true">
      <path d="M6 6h68" />
      <circle cx={x} cy="6" r="4" />
    </svg>
  )
}
