// The panel of a mode and its rules.

import { useId, useRef } from 'react'
import type { ModeView, Models, RunEstimate } from '../api/wire'
import type { ModePart } from '../run/mode_part'
import { plural } from '../ui/format'
import { Fold } from '../ui/section'
import { EstimateFold, type Problems } from './estimate'
import { FieldError, Fields } from './form'
import { type Config, type FieldGroup, type Schema, choosesKind, visibleFields } from './schema'
import type { Setup } from './setup'

interface ModeSetupProps {
  mode: ModeView
  part: ModePart
  schema: Schema
  setup: Setup
  change: (next: Setup) => void
  problems: Problems
  estimate: RunEstimate | null
  models: Models | null
  bar: React.ReactNode
}

export function ModeSetup({
  mode,
  part,
  schema,
  setup,
  change,
  problems,
  estimate,
  models,
  bar,
}: ModeSetupProps) {
  const id = useId()
  // What holds where nothing was changed; the last known one while something is wrong.
  const known = useRef<Config>({})
  if (estimate) known.current = estimate.config
  const context = { root: schema, models: models?.models ?? [], problems }
  const fields = (group: FieldGroup) => (
    <Fields
      schema={schema}
      value={setup.config}
      defaults={known.current}
      set={(config) => change({ ...setup, config })}
      context={context}
      path="modeConfig"
      group={group}
      without={part.text?.field}
    />
  )
  const names = (group: FieldGroup) =>
    visibleFields(schema, schema, { ...known.current, ...setup.config }, group)
      .map(([name]) => name)
      .filter((name) => name !== part.text?.field)
  const hasRoles = names('roles').length > 0
  // Seats that are nothing but models leave room beside them.
  const narrow = visibleFields(schema, schema, setup.config, 'seats').some(
    ([, field]) => field.items?.format === 'model',
  )
  const rules = names('rules')
  const changed = rules.filter((name) => setup.config[name] !== undefined).length
  const wrongRule = rules.some((name) =>
    Object.keys(problems).some((path) => path.startsWith(`modeConfig.${name}`)),
  )
  return (
    <section className="house" aria-labelledby={id}>
      <h2 id={id}>{mode.name}</h2>
      <p className="about">
        <span className="phone">{mode.goodFor}</span>
        {mode.description}
        {mode.supportsMultiTurn && ' You can ask follow-up questions.'}
      </p>
      {bar}
      <FieldError message={problems.modeConfig} />
      {names('work').length > 0 && !choosesKind(schema) && <div className="form">{fields('work')}</div>}
      <div className={`form who-sits ${narrow && hasRoles ? 'both' : ''}`}>
        {fields('seats')}
        {hasRoles && <div className="roles">{fields('roles')}</div>}
      </div>
      <Availability models={models} />
      {rules.length > 0 && (
        <Fold title="Rules" note={changed > 0 ? plural(changed, 'change') : 'defaults'} open={wrongRule}>
          <div className="form rules">{fields('rules')}</div>
        </Fold>
      )}
      {estimate && <EstimateFold estimate={estimate} part={part} />}
    </section>
  )
}

/** Whose models are missing. */
const Availability = ({ models }: { models: Models | null }) =>
  models?.unavailable?.map((one) => (
    <p key={one.provider} className="wrong">
      {one.provider}’s models could not be listed: {one.reason}
    </p>
  ))
