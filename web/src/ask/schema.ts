// A mode's config as its JSON Schema describes it: which fields there are, and what each is about.

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

/** Whether two configs say the same. */
export const sameConfig = (one: Config, other: Config) => canonical(one) === canonical(other)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/** The model of a seat, which is an id or an entry that names one. */
export function seatModel(seat: unknown): string {
  const model = typeof seat === 'string' ? seat : (seat as Config | null | undefined)?.model
  return typeof model === 'string' ? model : ''
}

/** A field without its null and its reference. */
export function resolveField(field: Schema, root: Schema): Schema {
  const resolved = field.$ref ? { ...root.$defs?.[field.$ref.split('/').pop()!], ...field } : field
  const kinds = resolved.anyOf?.filter((kind) => kind.type !== 'null')
  if (kinds?.length !== 1) return resolved
  const kind = resolveField(kinds[0]!, root)
  return {
    ...kind,
    ...resolved,
    ...(kind.type ? { type: kind.type } : {}),
    nullable: resolved.anyOf!.length > 1,
  }
}

const isSupported = (field: Schema) =>
  field.enum !== undefined ||
  ['string', 'integer', 'number', 'boolean'].includes(field.type ?? '') ||
  (field.type === 'array' && field.items !== undefined) ||
  (field.type === 'object' && (field.properties !== undefined || field.keys !== undefined))

/** What a field is about: the work itself, who sits, who has a part of their own, or how it goes. */
export type FieldGroup = 'work' | 'seats' | 'roles' | 'rules'

export function fieldGroup(field: Schema, root: Schema): FieldGroup {
  if (field.format === 'text' || field.enum?.includes('custom')) return 'work'
  if (field.format === 'model') return 'roles'
  const item = field.type === 'array' && field.items ? resolveField(field.items, root) : null
  if (
    item &&
    (item.format === 'model' || Object.values(item.properties ?? {}).some((one) => one.format === 'model'))
  )
    return 'seats'
  return 'rules'
}

/** Whether the kind of work is a choice: then it is made where one asks, not found out afterwards. */
export const choosesKind = (root: Schema) =>
  Object.values(root.properties ?? {}).some((field) => resolveField(field, root).enum?.includes('custom'))

/** How many sit, and who has a part of their own: `2–6 seats + chairman`. */
export function seatCount(root: Schema): string {
  const fields = Object.values(root.properties ?? {}).map((field) => resolveField(field, root))
  const seats = fields.find((field) => fieldGroup(field, root) === 'seats')
  const roles = fields
    .filter((field) => fieldGroup(field, root) === 'roles')
    .map((field) => (field.title ?? '').toLowerCase())
  if (!seats) return roles.join(', ')
  const count = `${seats.minItems ?? 1}–${seats.maxItems ?? ''} seats`
  return [count, roles.length > 2 ? `${roles.length} roles` : roles.join(' and ')].filter(Boolean).join(' + ')
}

export function visibleFields(
  schema: Schema,
  root: Schema,
  value: Config,
  group?: FieldGroup,
): [string, Schema][] {
  const known = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Schema] => [
    name,
    resolveField(field, root),
  ])
  const shown = known.filter(([name, field]) => {
    const choice = choiceOf(name, known)
    // What describes a choice of one's own is asked for beside it, and only where that choice was made.
    if (choice && (value[choice[0]] ?? choice[1].default) !== 'custom') return false
    return isSupported(field) && (!group || fieldGroup(choice ? choice[1] : field, root) === group)
  })
  // How long one waits is what one thinks of last.
  return group === 'rules'
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
