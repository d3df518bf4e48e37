import { duration } from '../../ui/format'
import { SeatLabel, seatClass } from '../../ui/seats'
import { taskNumber } from './task'
import { type WorkSpan, lanesOf } from './timeline'

const LANE = 23

const WORDS: Record<WorkSpan['state'], string> = {
  running: 'running',
  done: 'done',
  failed: 'failed',
  unfinished: 'unfinished',
  again: 'failed, reassigned',
}

/** A strip per worker: what ran side by side is seen at a glance. */
export function Gantt({ spans }: { spans: WorkSpan[] }) {
  const start = Math.min(...spans.map((one) => one.from))
  const whole = Math.max(1, ...spans.map((one) => one.to - start))
  const at = (moment: number) => `${((moment - start) / whole) * 100}%`
  const workers = [...new Map(spans.map((one) => [one.seat, one.model])).entries()].sort(
    (a, b) => a[0] - b[0],
  )
  return (
    <div className="gantt">
      <ol>
        {workers.map(([seat, model]) => {
          const own = spans.filter((one) => one.seat === seat)
          const lanes = lanesOf(own)
          const height = (Math.max(...lanes) + 1) * LANE + 3
          const label = own
            .map(
              (one) =>
                `part ${taskNumber(one.task)} from ${duration(one.from - start)} to ${duration(one.to - start)}, ${WORDS[one.state]}`,
            )
            .join('; ')
          return (
            <li key={seat} className={seatClass(seat)}>
              <SeatLabel seat={seat} model={model} />
              <svg width="100%" height={height} role="img" aria-label={label}>
                <rect className="gantt-ground" width="100%" height={height} />
                {own.map((one, place) => (
                  <g key={place} className={`stretch stretch-${one.state}`}>
                    <rect
                      x={at(Math.min(one.from, start + whole * 0.994))}
                      width={`${Math.max(0.6, ((one.to - one.from) / whole) * 100)}%`}
                      y={lanes[place]! * LANE + 3}
                      height="20"
                      rx="2"
                    />
                    {one.to - one.from > whole * 0.03 && (
                      <svg x={at(one.from)}>
                        <text x="6" y={lanes[place]! * LANE + 17.5}>
                          {taskNumber(one.task)}
                        </text>
                      </svg>
                    )}
                  </g>
                ))}
              </svg>
            </li>
          )
        })}
      </ol>
      <p className="gantt-axis note">
        <span>0 s</span>
        <span>{duration(whole / 2)}</span>
        <span>{duration(whole)}</span>
      </p>
    </div>
  )
}
