// A form made from a mode's JSON Schema. Only what was changed is sent; the rest is the server's default.

import { type ReactNode, useId, useState } from 'react'
import type { Problems } from './estimate'
import { words } from '../ui/format'
import { SeatList } from './seat_list'
import { ModelPicker } from './model_picker'
import { Sign } from '../ui/seats'
import type { ModelInfo } from '../api/wire'

export interface Schema {
  type?: string
  title?: string
  description?: string
  default?: unknown
  format?: string
  enum?: string[]
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  nullable?: boolean
  /** The list whose entries are the keys of this table. */
  keys?: string
  $ref?: string
  $defs?: Record<string, Schema>
}

export type Config = Record<string, unknown>

/** The model of a seat, which is an id or an entry that names one. */
export function modelIn(seat: unknown): string {
  const model = typeof seat === 'string' ? seat : (seat as Config | null | undefined)?.model
  return typeof model === 'string' ? model : ''
}

/** A field without its null and its reference. */
export function plain(field: Schema, root: Schema): Schema {
  const named = field.$ref ? { ...root.$defs?.[field.$ref.split('/').pop()!], ...field } : field
  const kinds = named.anyOf?.filter((kind) => kind.type !== 'null')
  if (kinds?.length !== 1) return named
  const kind = plain(kinds[0]!, root)
  return { ...kind, ...named, ...(kind.type ? { type: kind.type } : {}), nullable: named.anyOf!.length > 1 }
}

const isSupported = (field: Schema) =>
  field.enum !== undefined ||
  ['string', 'integer', 'number', 'boolean'].includes(field.type ?? '') ||
  (field.type === 'array' && field.items !== undefined) ||
  (field.type === 'object' && (field.properties !== undefined || field.keys !== undefined))

/** What a field is about: the work itself, who sits, who has a part of their own, or how it goes. */
export type Part = 'work' | 'seats' | 'roles' | 'rules'

export function partOf(field: Schema, root: Schema): Part {
  if (field.format === 'text' || field.enum?.includes('custom')) return 'work'
  if (field.format === 'model') return 'roles'
  const item = field.type === 'array' && field.items ? plain(field.items, root) : null
  if (
    item &&
    (item.format === 'model' || Object.values(item.properties ?? {}).some((one) => one.format === 'model'))
  )
    return 'seats'
  return 'rules'
}

interface Given {
  root: Schema
  models: ModelInfo[]
  problems: Problems
}

interface FieldsOf {
  schema: Schema
  /** What was changed. */
  value: Config
  /** What holds where nothing was changed. */
  usual?: Config | undefined
  set: (value: Config) => void
  given: Given
  path: string
  part?: Part
}

export function fieldsOf(schema: Schema, root: Schema, value: Config, part?: Part): [string, Schema][] {
  const known = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Schema] => [
    name,
    plain(field, root),
  ])
  const shown = known.filter(([name, field]) => {
    const choice = choiceOf(name, known)
    // What describes a choice of one's own is asked for beside it, and only where that choice was made.
    if (choice && (value[choice[0]] ?? choice[1].default) !== 'custom') return false
    return isSupported(field) && (!part || partOf(choice ? choice[1] : field, root) === part)
  })
  // How long one waits is what one thinks of last.
  return part === 'rules'
    ? shown.toSorted(([a], [b]) => Number(a === 'timeoutMs') - Number(b === 'timeoutMs'))
    : shown
}

const choiceOf = (name: string, known: [string, Schema][]) =>
  known.find(
    ([other, field]) =>
      other !== name &&
      field.enum?.includes('custom') &&
      (name.startsWith('custom') || name.startsWith(other)),
  )

export function Fields({ schema, value, usual, set, given, path, part }: FieldsOf) {
  const all = fieldsOf(schema, given.root, value)
  const change = (name: string, next: unknown) => {
    const changed = { ...value }
    if (next === undefined) delete changed[name]
    else changed[name] = next
    for (const [other, field] of Object.entries(schema.properties ?? {})) {
      if (field.keys === name && changed[other] && Array.isArray(next))
        changed[other] = Object.fromEntries(
          Object.entries(changed[other] as Config).filter(([key]) => next.includes(key)),
        )
    }
    const still = new Set(fieldsOf(schema, given.root, changed).map(([one]) => one))
    for (const [gone] of all) if (!still.has(gone)) delete changed[gone]
    set(changed)
  }
  return fieldsOf(schema, given.root, value, part).map(([name, field]) => (
    <Field
      key={name}
      name={name}
      field={field}
      value={value[name] ?? usual?.[name] ?? field.default}
      rest={{ ...usual, ...value }}
      set={(next) => change(name, next)}
      given={given}
      path={`${path}.${name}`}
    />
  ))
}

interface FieldOf {
  name: string
  field: Schema
  value: unknown
  rest: Config
  set: (value: unknown) => void
  given: Given
  path: string
}

function Field({ name, field, value, rest, set, given, path }: FieldOf) {
  const id = useId()
  const title = field.title ?? words(name)
  const wrong = given.problems[path]
  const said =
    [field.description ? `${id}h` : '', wrong ? `${id}p` : ''].filter(Boolean).join(' ') || undefined
  const notes = (
    <>
      {field.description && (
        <span className="hint" id={`${id}h`}>
          {field.description
            .split('`')
            .map((piece, place) => (place % 2 ? <code key={place}>{piece}</code> : piece))}
        </span>
      )}
      <Wrong id={`${id}p`} message={wrong} />
    </>
  )
  if (field.type === 'array' || field.type === 'object')
    return (
      <fieldset
        className={
          partOf(field, given.root) === 'seats' || (field.type === 'object' && !field.keys) ? 'wide' : ''
        }
      >
        <legend>{title}</legend>
        {notes}
        {field.type === 'array' ? (
          <List
            title={title}
            field={field}
            value={Array.isArray(value) ? value : blanks(field)}
            set={set}
            given={given}
            path={path}
          />
        ) : field.keys ? (
          <Tags
            keys={entriesOf(rest[field.keys] ?? given.root.properties?.[field.keys]?.default)}
            value={(value as Config | null) ?? {}}
            set={set}
          />
        ) : (
          <div className="entry">
            <Fields
              schema={field}
              value={(value as Config | null) ?? {}}
              set={set}
              given={given}
              path={path}
            />
          </div>
        )}
      </fieldset>
    )
  if (field.type === 'boolean')
    return (
      <p className="field">
        <label>
          <input
            type="checkbox"
            checked={Boolean(value)}
            aria-describedby={said}
            onChange={(event) => set(event.target.checked)}
          />{' '}
          {title}
        </label>
        {notes}
      </p>
    )
  return (
    <p className={`field ${field.format === 'text' ? 'wide' : ''} ${name.startsWith('custom') ? 'own' : ''}`}>
      <label htmlFor={id}>
        {field.format === 'model' && <Sign seat={null} size={13} />} {title}
      </label>
      <Input
        id={id}
        label={title}
        field={field}
        value={value}
        set={set}
        described={said}
        invalid={wrong !== undefined}
        models={given.models}
      />
      {notes}
    </p>
  )
}

/** A list that must have entries begins with that many empty ones. */
const blanks = (field: Schema): unknown[] =>
  Array.from({ length: field.nullable ? 0 : (field.minItems ?? 0) }, () =>
    field.items?.type === 'string' ? '' : {},
  )

export function Wrong({ id, message }: { id?: string; message: string | undefined }) {
  return message ? (
    <span className="wrong" id={id}>
      {message}
    </span>
  ) : null
}

interface InputOf {
  id?: string
  label: string
  field: Schema
  value: unknown
  set: (value: unknown) => void
  described?: string | undefined
  invalid?: boolean
  models: ModelInfo[]
  onMove?: (by: number) => void
}

function Input({ id, label, field, value, set, described, invalid, models, onMove }: InputOf) {
  const common = {
    id,
    'aria-describedby': described,
    'aria-label': id ? undefined : label,
    'aria-invalid': invalid || undefined,
  }
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
  if (field.enum)
    return (
      <select {...common} value={text} onChange={(event) => set(event.target.value || undefined)}>
        {field.nullable && <option value="">Let the models say</option>}
        {field.enum.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    )
  if (field.type === 'integer' || field.type === 'number')
    return (
      <input
        {...common}
        type="number"
        min={field.minimum}
        max={field.maximum}
        step={field.type === 'integer' ? 1 : 'any'}
        placeholder={field.nullable ? 'no limit' : undefined}
        value={text}
        onChange={(event) => set(event.target.value === '' ? undefined : Number(event.target.value))}
      />
    )
  if (field.format === 'text')
    return (
      <textarea
        {...common}
        rows={4}
        value={text}
        onChange={(event) => set(event.target.value || undefined)}
        dir="auto"
      />
    )
  if (field.format === 'model')
    return (
      <ModelPicker
        {...(id ? { id } : {})}
        label={label}
        value={text}
        set={set}
        models={models}
        described={described}
        invalid={invalid ?? false}
        {...(onMove ? { onMove } : {})}
      />
    )
  return (
    <input
      {...common}
      type="text"
      value={text}
      onChange={(event) => set(event.target.value || undefined)}
      dir="auto"
    />
  )
}

function List({
  title,
  field,
  value,
  set,
  given,
  path,
}: {
  title: string
  field: Schema
  value: unknown[]
  set: (value: unknown) => void
  given: Given
  path: string
}) {
  const item = plain(field.items ?? {}, given.root)
  const isSeats = partOf(field, given.root) === 'seats'
  const nameOf = (entry: unknown) => modelIn(entry) || title
  return (
    <SeatList
      title={title}
      value={value}
      set={(next) => set(next.length === 0 && field.nullable ? undefined : next)}
      fewest={field.minItems ?? 0}
      most={field.maxItems ?? 50}
      fresh={() => fresh(item, value, given)}
      add={isSeats ? 'Add a seat' : 'Add one'}
      signs={isSeats}
      nameOf={nameOf}
    >
      {(entry, place, change, move): ReactNode =>
        item.type === 'object' ? (
          <div className="entry">
            <Fields
              schema={item}
              value={(entry as Config | null) ?? {}}
              set={change}
              given={given}
              path={`${path}.${place}`}
            />
            <Wrong message={given.problems[`${path}.${place}`]} />
          </div>
        ) : (
          <span className="entry-one">
            <Input
              field={item}
              value={entry}
              set={(next) => change(next ?? '')}
              label={`${title} ${place + 1}`}
              models={given.models}
              invalid={given.problems[`${path}.${place}`] !== undefined}
              onMove={move}
            />
            <Wrong message={given.problems[`${path}.${place}`]} />
          </span>
        )
      }
    </SeatList>
  )
}

/** The same model may sit twice: a new seat begins as one that is not there yet, else as the first. */
function fresh(item: Schema, value: unknown[], given: Given): unknown {
  const taken = new Set(value.map(modelIn))
  const model =
    given.models.find((one) => !taken.has(one.id) && sameHouse(one, value))?.id ??
    given.models.find((one) => !taken.has(one.id))?.id ??
    [...taken][0] ??
    ''
  if (item.format === 'model') return model
  if (item.type !== 'object') return ''
  const entry: Config = {}
  for (const [name, raw] of Object.entries(item.properties ?? {})) {
    const field = plain(raw, given.root)
    if (field.format === 'model') entry[name] = model
    else if (field.enum) {
      const used = value.map((one) => (one as Config | null)?.[name])
      const after = field.enum.indexOf(String(used.at(-1))) + 1
      entry[name] =
        [...field.enum.slice(after), ...field.enum.slice(0, after)].find(
          (option) => option !== 'custom' && !used.includes(option),
        ) ?? field.enum.at(-1)
    }
  }
  return entry
}

/** Simulated models keep to themselves, and so do real ones. */
const sameHouse = (model: ModelInfo, value: unknown[]) => {
  const seated = modelIn(value[0])
  return !seated || seated.startsWith('sim/') === (model.provider === 'sim')
}

const entriesOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? [...new Set(value.filter((entry): entry is string => typeof entry === 'string' && entry !== ''))]
    : []

/** Words for each entry of another list. */
function Tags({ keys, value, set }: { keys: string[]; value: Config; set: (value: unknown) => void }) {
  const change = (key: string, tags: string[]) => {
    const next = { ...value, [key]: tags }
    if (tags.length === 0) delete next[key]
    set(Object.keys(next).length > 0 ? next : undefined)
  }
  return (
    <div className="tags">
      {keys.map((key) => (
        <Tag
          key={key}
          name={key}
          tags={(value[key] as string[] | undefined) ?? []}
          set={(tags) => change(key, tags)}
        />
      ))}
    </div>
  )
}

function Tag({ name, tags, set }: { name: string; tags: string[]; set: (tags: string[]) => void }) {
  const [text, setText] = useState(tags.join(', '))
  const read = (typed: string) =>
    typed
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean)
  // What was typed stays as it is, unless something else was set.
  const shown = read(text).join() === tags.join() ? text : tags.join(', ')
  return (
    <label>
      <span className="tag-name">{name.slice(name.indexOf('/') + 1)}</span>
      <input
        type="text"
        placeholder="anything"
        value={shown}
        onChange={(event) => {
          setText(event.target.value)
          set(read(event.target.value))
        }}
      />
    </label>
  )
}
