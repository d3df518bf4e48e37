import { Badge, Bars, Part, Texts, figure, percent, seconds } from '../parts'
import { Who } from '../seats'
import { every, last } from '../story'
import type { ModePart } from './part'

const KIND: Record<string, string> = { OVERCONFIDENT: 'fair', UNDERCONFIDENT: 'merged' }

export const confidenceWeighted: ModePart = {
  answer(story) {
    const made = last(story, 'confidence_weighted', 'synthesis_complete')?.data
    return made ? { text: made.synthesis, by: made.skipped ? `The only answer, from ${made.model}` : `Merged by ${made.model}` } : null
  },
  Picture({ story }) {
    const answers = every(story, 'confidence_weighted', 'answer_complete').map((event) => event.data).sort((a, b) => a.seat - b.seat)
    const weighed = last(story, 'confidence_weighted', 'weights_calculated')?.data
    const made = last(story, 'confidence_weighted', 'synthesis_complete')?.data
    const verdict = new Map(made?.calibration.map((one) => [one.seat, one]) ?? [])
    return (
      <>
        {weighed && (
          <Part title="How much each counted" note={`${figure(weighed.effectiveVoices)} voices in effect`}>
            <div className="side-by-side">
              <div>
                <h4>Stated confidence</h4>
                <Bars
                  label="Stated confidence"
                  most={1}
                  bars={weighed.weights.map((one) => ({ key: String(one.seat), seat: one.seat, label: <Who seat={one.seat} model={one.model} />, value: one.rawConfidence ?? 0, shown: one.rawConfidence == null ? 'not given' : figure(one.rawConfidence, 2), mark: one.isOutlier ? <Badge kind="fair">outlier</Badge> : null }))}
                />
              </div>
              <div>
                <h4>Weight in the answer</h4>
                <Bars
                  label="Weight in the answer"
                  most={Math.max(...weighed.weights.map((one) => one.normalizedWeight))}
                  bars={weighed.weights.map((one) => {
                    const said = verdict.get(one.seat)
                    return { key: String(one.seat), seat: one.seat, label: <Who seat={one.seat} model={one.model} />, value: one.normalizedWeight, shown: percent(one.normalizedWeight), mark: said?.verdict && <Badge kind={KIND[said.verdict] ?? 'good'}>{said.verdict.toLowerCase()}</Badge> }
                  })}
                />
              </div>
            </div>
          </Part>
        )}
        {answers.length > 0 && (
          <Part title="What each answered">
            <Texts entries={answers.map((one) => ({ seat: one.seat, model: one.model, text: one.response, note: `${one.confidence == null ? 'no number' : figure(one.confidence, 2)} · ${seconds(one.responseTimeMs)}`, more: one.confidenceReasoning && <p className="reason">{one.confidenceReasoning}</p> }))} />
          </Part>
        )}
      </>
    )
  },
}
