import type { ReactNode } from 'react'

/** Sentences are not squeezed to a word a line: the table scrolls instead. */
const LONG = 24

export function Table({ label, head, rows }: { label: string; head: ReactNode[]; rows: ReactNode[][] }) {
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <table className="figures">
        <thead>
          <tr>
            {head.map((cell, place) => (
              <th key={place} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => (
            <tr key={place}>
              {row.map((cell, column) => (
                <td
                  key={column}
                  className={typeof cell === 'string' && cell.length > LONG ? 'text' : undefined}
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
