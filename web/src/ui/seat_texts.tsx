import type { ReactNode } from 'react'
import { Copy } from './copy'
import { Markdown } from './markdown'
import { SeatLabel, seatClass } from './seats'
import { Fold } from './section'

export interface SeatText {
  seat?: number | null | undefined
  model?: string | null | undefined
  role?: ReactNode
  text: string
  note?: ReactNode
  more?: ReactNode
  /** The text is a filled-in form. */
  lines?: boolean
  /** Why there is no text: the chair stayed empty. */
  missing?: ReactNode
}

const atTheEnd = (seat: number | null | undefined) => seat ?? 99
export const bySeat = (entries: SeatText[]) => entries.toSorted((a, b) => atTheEnd(a.seat) - atTheEnd(b.seat))

/** Texts of the seats, folded, side by side where there is room. */
export function SeatTexts({ entries }: { entries: SeatText[] }) {
  return (
    <div className="texts">
      {entries.map((entry, place) =>
        entry.missing != null ? (
          <p key={place} className="absent">
            <SeatLabel hollow seat={entry.seat} model={entry.model} role={entry.role} />
            <span className="note">{entry.missing}</span>
          </p>
        ) : (
          <Fold
            key={place}
            className={`framed ${seatClass(entry.seat, entry.model)}`}
            title={<SeatLabel seat={entry.seat} model={entry.model} role={entry.role} />}
            note={entry.note}
          >
            {entry.more}
            <CopyableText text={entry.text} lines={entry.lines ?? false} />
          </Fold>
        ),
      )}
    </div>
  )
}

/** What a seat wrote, with a button that copies it. */
export const CopyableText = ({ text, lines = false }: { text: string; lines?: boolean }) => (
  <div className="copyable">
    <Copy text={text} label="Copy this text" />
    <Markdown text={text} lines={lines} />
  </div>
)
