// A form made from a mode's JSON Schema. Only what was changed is sent; the rest is the server's default.

import { type ReactNode, useId, useState } from 'react'
import type { ModelInfo } from '../api/wire'
import { humanize } from '../ui/format'
import { Sign } from '../ui/seats'
import type { Problems } from './estimate'
import { ModelPicker } from './model_picker'
import {
  type Config,
  type FieldGroup,
  type Schema,
  fieldGroup,
  resolveField,
  seatModel,
  visibleFields,
} from './schema'
import { SeatList } from './seat_list'

interface FieldContext {
  root: Schema
  models: ModelInfo[]
  problems: Problems
}

interface FieldsProps {
  schema: Schema
  /** What was changed. */
  value: Config
  /** What holds where nothing was changed. */
  defaults?: Config | undefined
  set: (value: Config) => void
  context: FieldContext
  path: string
  group?: FieldGroup
  /** A field that stands elsewhere on the page. */
  without?: string | undefined
}

export function Fields({ schema, value, defaults, set, context, path, group, without }: FieldsProps) {
  const all = visibleFields(schema, context.root, value)
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
    const still = new Set(visibleFields(schema, context.root, changed).map(([one]) => one))
    for (const [gone] of all) if (!still.has(gone)) delete changed[gone]
    set(changed)
  }
  const shown = visibleFields(schema, context.root, value, group).filter(([name]) => name !== without)
  return shown.map(([name, field]) => (
    <Field
      key={name}
      name={name}
      field={field}
      value={value[name] ?? defaults?.[name] ?? field.default}
      rest={{ ...defaults, ...value }}
      set={(next) => change(name, next)}
      context={context}
      path={`${path}.${name}`}
    />
  ))
}

interface FieldProps {
  name: string
  field: Schema
  value: unknown
  rest: Config
  set: (value: unknown) => void
  context: FieldContext
  path: string
}

function Field({ name, field, value, rest, set, context, path }: FieldProps) {
  const id = useId()
  const title = field.title ?? humanize(name)
  const wrong = context.problems[path]
  const descriptionIds =
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
      <FieldError id={`${id}p`} message={wrong} />
    </>
  )
  if (field.type === 'array' || field.type === 'object')
    return (
      <fieldset
        className={
          fieldGroup(field, context.root) === 'seats' || (field.type === 'object' && !field.keys)
            ? 'wide'
            : ''
        }
      >
        <legend>{title}</legend>
        {notes}
        {field.type === 'array' ? (
          <List
            title={title}
            field={field}
            value={Array.isArray(value) ? value : blankEntries(field)}
            set={set}
            context={context}
            path={path}
          />
        ) : field.keys ? (
          <Tags
            keys={distinctNames(rest[field.keys] ?? context.root.properties?.[field.keys]?.default)}
            value={(value as Config | null) ?? {}}
            set={set}
          />
        ) : (
          <div className="entry">
            <Fields
              schema={field}
              value={(value as Config | null) ?? {}}
              set={set}
              context={context}
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
            aria-describedby={descriptionIds}
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
        {field.format === 'model' && <Sign model={typeof value === 'string' ? value : null} size={13} />}{' '}
        {title}
      </label>
      <Input
        id={id}
        label={title}
        field={field}
        value={value}
        set={set}
        described={descriptionIds}
        invalid={wrong !== undefined}
        models={context.models}
      />
      {notes}
    </p>
  )
}

/** A list that must have entries begins with that many empty ones. */
const blankEntries = (field: Schema): unknown[] =>
  Array.from({ length: field.nullable ? 0 : (field.minItems ?? 0) }, () =>
    field.items?.type === 'string' ? '' : {},
  )

export function FieldError({ id, message }: { id?: string; message: string | undefined }) {
  return message ? (
    <span className="wrong" id={id}>
      {message}
    </span>
  ) : null
}

interface InputProps {
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

function Input({ id, label, field, value, set, described, invalid, models, onMove }: InputProps) {
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
        {field.nullable && <option value="">Decided by the models</option>}
        {field.enum.map((option) => (
          <option key={option} value={option}>
            {humanize(option)}
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
  context,
  path,
}: {
  title: string
  field: Schema
  value: unknown[]
  set: (value: unknown) => void
  context: FieldContext
  path: string
}) {
  const item = resolveField(field.items ?? {}, context.root)
  const isSeats = fieldGroup(field, context.root) === 'seats'
  const nameOf = (entry: unknown) => seatModel(entry) || title
  return (
    <SeatList
      title={title}
      value={value}
      set={(next) => set(next.length === 0 && field.nullable ? undefined : next)}
      min={field.minItems ?? 0}
      max={field.maxItems ?? 50}
      newEntry={() => newEntry(item, value, context)}
      add={isSeats ? 'Add a seat' : 'Add'}
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
              context={context}
              path={`${path}.${place}`}
            />
            <FieldError message={context.problems[`${path}.${place}`]} />
          </div>
        ) : (
          <span className="entry-one">
            <Input
              field={item}
              value={entry}
              set={(next) => change(next ?? '')}
              label={`${title} ${place + 1}`}
              models={context.models}
              invalid={context.problems[`${path}.${place}`] !== undefined}
              onMove={move}
            />
            <FieldError message={context.problems[`${path}.${place}`]} />
          </span>
        )
      }
    </SeatList>
  )
}

/** The same model may sit twice: a new seat begins as one that is not there yet, else as the first. */
function newEntry(item: Schema, value: unknown[], context: FieldContext): unknown {
  const taken = new Set(value.map(seatModel))
  const model =
    context.models.find((one) => !taken.has(one.id) && isSameKind(one, value))?.id ??
    context.models.find((one) => !taken.has(one.id))?.id ??
    [...taken][0] ??
    ''
  if (item.format === 'model') return model
  if (item.type !== 'object') return ''
  const entry: Config = {}
  for (const [name, raw] of Object.entries(item.properties ?? {})) {
    const field = resolveField(raw, context.root)
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
const isSameKind = (model: ModelInfo, value: unknown[]) => {
  const firstModel = seatModel(value[0])
  return !firstModel || firstModel.startsWith('sim/') === (model.provider === 'sim')
}

const distinctNames = (value: unknown): string[] =>
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
