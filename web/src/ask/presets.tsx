// Presets: what a house was set up like, under a name, to begin with again.

import { type KeyboardEvent, useCallback, useEffect, useId, useState } from 'react'
import { ApiError, api, messageOf } from '../api/client'
import type { Config } from './form'
import type { ModeView, Preset } from '../api/wire'

export interface Presets {
  all: Preset[]
  load: () => Promise<void>
}

export function usePresets(): Presets {
  const [all, setAll] = useState<Preset[]>([])
  const load = useCallback(async () => {
    // Without presets one can still ask.
    await api.presets().then(
      (list) => setAll(list.presets),
      () => undefined,
    )
  }, [])
  useEffect(() => void load(), [load])
  return { all, load }
}

/** Whether two configs say the same. */
export const same = (one: Config, other: Config) => sorted(one) === sorted(other)

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

interface Bar {
  mode: ModeView
  presets: Presets
  chosen: Preset | null
  config: Config
  apply: (preset: Preset | null) => void
}

export function PresetBar({ mode, presets, chosen, config, apply }: Bar) {
  const id = useId()
  const [saving, setSaving] = useState(false)
  const [trouble, setTrouble] = useState('')
  const [said, setSaid] = useState('')
  const fitting = presets.all.filter((one) => one.mode === mode.id)
  const mine = fitting.filter((one) => one.own)
  const others = fitting.filter((one) => !one.own)
  const changed = !same(config, chosen?.config ?? {})
  const act = async (work: () => Promise<unknown>, done: string) => {
    setTrouble('')
    setSaid('')
    try {
      await work()
      await presets.load()
      setSaid(done)
    } catch (error) {
      setTrouble(messageOf(error))
    }
  }
  return (
    <div className="presets">
      <p className="line">
        <label htmlFor={id}>Preset</label>
        <select
          id={id}
          value={chosen?.id ?? ''}
          onChange={(event) => {
            setSaving(false)
            setTrouble('')
            setSaid('')
            apply(fitting.find((one) => one.id === event.target.value) ?? null)
          }}
        >
          <option value="">The server’s defaults</option>
          {mine.length > 0 && <optgroup label="Yours">{mine.map(option)}</optgroup>}
          {others.length > 0 && <optgroup label="Shared by others">{others.map(option)}</optgroup>}
        </select>
        {chosen && changed && (
          <button type="button" className="small" onClick={() => apply(chosen)}>
            Undo changes
          </button>
        )}
        {!chosen && changed && (
          <button type="button" className="small" onClick={() => apply(null)}>
            Back to the defaults
          </button>
        )}
        {chosen?.own && changed && (
          <button
            type="button"
            className="small"
            onClick={() => void act(() => api.changePreset(chosen.id, { config }), 'Saved.')}
          >
            Save changes
          </button>
        )}
        <button type="button" className="small" aria-expanded={saving} onClick={() => setSaving(!saving)}>
          {chosen ? 'Save as another' : 'Save as a preset'}
        </button>
      </p>
      {chosen && (
        <p className="line preset-about">
          {!chosen.own && <span className="note">shared by {chosen.owner}</span>}
          {changed && <span className="note">changed</span>}
          <button
            type="button"
            className="switch small"
            aria-pressed={chosen.isDefault}
            onClick={() =>
              void act(
                () => api.beginWith(chosen.id, !chosen.isDefault),
                chosen.isDefault
                  ? `${mode.name} begins with the server’s defaults.`
                  : `${mode.name} begins with it from now on.`,
              )
            }
          >
            Begin with it in {mode.name}
          </button>
          {chosen.own && (
            <>
              <button
                type="button"
                className="switch small"
                aria-pressed={chosen.shared}
                onClick={() =>
                  void act(
                    () => api.changePreset(chosen.id, { shared: !chosen.shared }),
                    chosen.shared ? 'Only you see it now.' : 'Everyone on this server may use it now.',
                  )
                }
              >
                Share with everyone here
              </button>
              <button
                type="button"
                className="small"
                onClick={() =>
                  void act(async () => {
                    await api.removePreset(chosen.id)
                    apply(null)
                  }, `“${chosen.name}” is deleted.`)
                }
              >
                Delete
              </button>
            </>
          )}
        </p>
      )}
      {chosen?.problem && (
        <p className="notice">
          {mode.name} no longer takes this preset as it is: {chosen.problem}. What still fits is set below;
          change it and save.
        </p>
      )}
      {saving && (
        <SaveForm
          mode={mode}
          config={config}
          close={() => setSaving(false)}
          saved={(preset) => {
            setSaving(false)
            setTrouble('')
            void presets.load().then(() => {
              apply(preset)
              setSaid(`“${preset.name}” is saved.`)
            })
          }}
        />
      )}
      {trouble && (
        <p className="wrong" role="alert">
          {trouble}
        </p>
      )}
      <span className="unseen" role="status">
        {said}
      </span>
    </div>
  )
}

const option = (preset: Preset) => (
  <option key={preset.id} value={preset.id}>
    {preset.name}
    {preset.own ? '' : ` (${preset.owner})`}
    {preset.isDefault ? ' ★' : ''}
    {preset.problem ? ' – no longer fits' : ''}
  </option>
)

function SaveForm({
  mode,
  config,
  close,
  saved,
}: {
  mode: ModeView
  config: Config
  close: () => void
  saved: (preset: Preset) => void
}) {
  const id = useId()
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const [first, setFirst] = useState(false)
  const [wrong, setWrong] = useState('')
  const save = async () => {
    setWrong('')
    try {
      const preset = await api.addPreset({ name, mode: mode.id, config, shared })
      saved(first ? await api.beginWith(preset.id, true) : preset)
    } catch (error) {
      setWrong(error instanceof ApiError ? error.message : String(error))
    }
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      void save()
    }
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    }
  }
  return (
    <fieldset className="save-preset">
      <legend className="unseen">Save as a preset</legend>
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        type="text"
        autoFocus
        maxLength={80}
        value={name}
        aria-invalid={wrong ? true : undefined}
        aria-describedby={wrong ? `${id}w` : undefined}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={keys}
      />
      <label>
        <input type="checkbox" checked={first} onChange={(event) => setFirst(event.target.checked)} /> Begin
        with it in {mode.name}
      </label>
      <label>
        <input type="checkbox" checked={shared} onChange={(event) => setShared(event.target.checked)} /> Share
        with everyone on this server
      </label>
      <button type="button" className="plain" onClick={() => void save()}>
        Save
      </button>
      <button type="button" className="small" onClick={close}>
        Cancel
      </button>
      {wrong && (
        <span className="wrong" id={`${id}w`} role="alert">
          {wrong}
        </span>
      )}
    </fieldset>
  )
}
