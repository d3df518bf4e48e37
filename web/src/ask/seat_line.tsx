import { PanelLooks, Sign, panelOf, shortModel } from '../ui/seats'
import { type Config, type Schema, fieldGroup, resolveField, seatModel } from './schema'

/** Panel, in a line. */
export function SeatLine({ schema, config }: { schema: Schema; config: Config }) {
  const seats = Object.entries(schema.properties ?? {}).flatMap(
    ([name, raw]): { seat: number | null; model: string; role: string }[] => {
      const field = resolveField(raw, schema)
      const value = config[name] ?? field.default
      const part = fieldGroup(field, schema)
      if (part === 'seats' && Array.isArray(value))
        return value.map((entry, place) => ({
          seat: place + 1,
          model: seatModel(entry),
          role: '',
        }))
      return part === 'roles' && typeof value === 'string'
        ? [{ seat: null, model: value, role: (field.title ?? '').toLowerCase() }]
        : []
    },
  )
  const seated = seats.filter((one) => one.seat !== null)
  return (
    <PanelLooks panel={panelOf(seated.map((one) => [one.seat!, one.model]))}>
      <ul className="seated" aria-label="Panel">
        {[...seated, ...seats.filter((one) => one.seat === null)].map((one, place) => (
          <li key={place} title={one.model}>
            <Sign seat={one.seat} model={one.model} size={13} />
            {shortModel(one.model).split(':')[0]}
            {one.role && <span className="note">{one.role}</span>}
          </li>
        ))}
      </ul>
    </PanelLooks>
  )
}
