import type { ReactNode } from 'react'

/** Sentences are not squeezed to a word a line: the table scrolls instead. */
const LONG = 24

/** The head of a column with buttons, the last one. */
export const ACTIONS = <span className="unseen">Actions</span>

/** Rows with buttons are cards on a phone, so that nobody has to look for the buttons beyond the edge. The roles are
 * named because a card has none of its own. */
export function Table({ label, head, rows }: { label: string; head: ReactNode[]; rows: ReactNode[][] }) {
  const cards = head.at(-1) === ACTIONS
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className={cards ? 'figures cards' : 'figures'} role="table">
        <thead role="rowgroup">
          <tr role="row">
            {head.map((cell, place) => (
              <th key={place} scope="col" role="columnheader">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, place) => (
            <tr key={place} role="row">
              {row.map((cell, column) => (
                <td
                  key={column}
                  role="cell"
                  className={typeof cell === 'string' && cell.length > LONG ? 'text' : undefined}
                  data-head={cards && typeof head[column] === 'string' ? head[column] : undefined}
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
