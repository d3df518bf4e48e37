// A mode without a picture of its own: its texts and figures, event by event.

import { decimal, humanize } from '../ui/format'
import { SeatTexts } from '../ui/seat_texts'
import { Fold, Section } from '../ui/section'
import { Table } from '../ui/table'
import type { FinalAnswer, PictureProps } from './mode_part'
import type { StoredEvent, Story } from './story'

const QUIET = new Set(['model_failed', 'warning', 'schema_complete', 'title_complete', 'complete', 'error'])
const ANSWERS = [
  'finalAnswer',
  'answer',
  'report',
  'proposal',
  'synthesis',
  'document',
  'response',
  'content',
  'text',
]

type Data = Record<string, unknown>
const isData = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > 120 || value.includes('\n'))

export function answer(story: Story): FinalAnswer | null {
  if (!story.ended || story.error) return null
  for (const event of story.events.toReversed()) {
    if (QUIET.has(event.type) || !isData(event.data)) continue
    const data = event.data
    const name =
      ANSWERS.find((one) => isText(data[one])) ??
      Object.keys(data).find((one) => isText(data[one]) && one !== 'rawText')
    if (name) return { text: String(data[name]) }
  }
  return null
}

export function Picture({ story }: PictureProps) {
  const events = story.events.filter((event) => event.id > 1 && !QUIET.has(event.type) && event.data != null)
  return (
    <Section title="How this answer was reached">
      {events.map((event) => (
        <Fold key={event.id} title={humanize(event.type)}>
          <EventData event={event} />
        </Fold>
      ))}
    </Section>
  )
}

function EventData({ event }: { event: StoredEvent }) {
  const entries = Array.isArray(event.data) ? (event.data as unknown[]) : [event.data]
  return entries.filter(isData).map((data, place) => <Entry key={place} data={data} />)
}

function Entry({ data }: { data: Data }) {
  const plain = Object.entries(data).filter(
    ([, value]) =>
      ['number', 'boolean'].includes(typeof value) || (typeof value === 'string' && !isText(value)),
  )
  const texts = Object.entries(data).filter(([name, value]) => isText(value) && name !== 'rawText')
  const lists = Object.entries(data).filter(
    (entry): entry is [string, Data[]] =>
      Array.isArray(entry[1]) && entry[1].length > 0 && entry[1].every(isData),
  )
  return (
    <>
      {plain.length > 0 && (
        <Table
          label="Figures"
          head={['What', 'Figure']}
          rows={plain.map(([name, value]) => [human(name), formatValue(value)])}
        />
      )}
      {lists.map(([name, rows]) => (
        <Fold key={name} title={human(name)} note={rows.length}>
          {rows.map((row, place) => (
            <Entry key={place} data={row} />
          ))}
        </Fold>
      ))}
      <SeatTexts
        entries={texts.map(([name, text]) => ({
          seat: data.seat as number | null,
          model: data.model as string | null,
          role: human(name),
          text: String(text),
        }))}
      />
    </>
  )
}

const human = (name: string) => humanize(name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase())
const formatValue = (value: unknown) =>
  typeof value === 'number' ? (Number.isInteger(value) ? value : decimal(value, 2)) : String(value)
