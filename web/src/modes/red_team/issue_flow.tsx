// Where the findings went: from their severity to the author's answer to the judge's ruling.

import { Drawing, ribbon } from '../../ui/charts'
import { plural } from '../../ui/format'
import { tenth } from '../../ui/seats'
import { ANSWERS, type Issue, OUTCOMES, SEVERITIES } from './issues'

const WAITING = 'not yet'
const COLUMNS = [
  {
    name: 'severity',
    order: SEVERITIES.map((one) => one.toLowerCase()),
    of: (one: Issue) => one.severity.toLowerCase(),
  },
  { name: 'the author', order: [...ANSWERS, WAITING] as string[], of: (one: Issue) => one.answer ?? WAITING },
  {
    name: 'the judge',
    order: [...OUTCOMES, WAITING] as string[],
    of: (one: Issue) => one.outcome ?? WAITING,
  },
]
const [HEAD, APART, NODE, TALLEST] = [24, 16, 8, 220]

interface Block {
  name: string
  y: number
  issues: Issue[]
}

/** One column's blocks; the issues in each keep the order in which they come in, so that bands cross little. */
function blocksOf(column: (typeof COLUMNS)[number], issues: Issue[], thick: number): Block[] {
  let y = HEAD
  return column.order.flatMap((name) => {
    const those = issues.filter((one) => column.of(one) === name)
    if (those.length === 0) return []
    const block = { name, y, issues: those }
    y += Math.max(those.length * thick, 14) + APART
    return [block]
  })
}

export function IssueFlow({ issues, judged }: { issues: Issue[]; judged: boolean }) {
  const thick = Math.min(18, TALLEST / issues.length)
  const shown = COLUMNS.slice(0, judged ? 3 : issues.some((one) => one.answer !== null) ? 2 : 1)
  const ordered = issues.toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
  const columns = shown.reduce<Block[][]>((before, column) => {
    const last = before.at(-1)
    return [...before, blocksOf(column, last ? last.flatMap((block) => block.issues) : ordered, thick)]
  }, [])
  const height =
    Math.max(
      ...columns.map((blocks) =>
        Math.max(...blocks.map((block) => block.y + Math.max(block.issues.length * thick, 14))),
      ),
    ) + 6
  const label = ordered
    .map(
      (one) =>
        `${one.title}: ${[one.severity.toLowerCase(), one.answer, one.outcome].filter(Boolean).join(', then ')}`,
    )
    .join('; ')
  return (
    <Drawing
      className="issue-flow"
      label={`${plural(issues.length, 'issue')}. ${label}.`}
      height={Math.ceil(height)}
    >
      {(width) => {
        const x = (place: number) => tenth(place * ((width - 84 - NODE) / 2))
        const at = (blocks: Block[], one: Issue) => {
          const block = blocks.find((other) => other.issues.includes(one))!
          return block.y + block.issues.indexOf(one) * thick
        }
        return (
          <>
            {shown.map((column, place) => (
              <text key={column.name} className="soft" x={x(place)} y={13}>
                {column.name}
              </text>
            ))}
            {columns.slice(1).flatMap((blocks, place) =>
              ordered.map((one) => (
                <path
                  key={`${place} ${one.id}`}
                  className={`stream flow-${one.severity.toLowerCase()}`}
                  d={ribbon(
                    x(place) + NODE,
                    at(columns[place]!, one),
                    x(place + 1),
                    at(blocks, one),
                    thick - 1,
                  )}
                >
                  <title>{one.title}</title>
                </path>
              )),
            )}
            {columns.flatMap((blocks, place) =>
              blocks.map((block) => (
                <g key={`${place} ${block.name}`}>
                  <rect
                    className={
                      place === 0 ? `node flow-${block.name}` : `node node-${block.name.replace(' ', '-')}`
                    }
                    x={x(place)}
                    y={tenth(block.y)}
                    width={NODE}
                    height={tenth(block.issues.length * thick - 1)}
                  />
                  <text
                    className="halo"
                    x={x(place) + NODE + 5}
                    y={tenth(block.y + Math.min((block.issues.length * thick) / 2, 20) + 4)}
                  >
                    {block.name} {block.issues.length}
                  </text>
                </g>
              )),
            )}
          </>
        )
      }}
    </Drawing>
  )
}
