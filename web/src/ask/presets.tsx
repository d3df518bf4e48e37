// Presets: what a house was set up like, under a name, to begin with again.

import { type KeyboardEvent, useCallback, useEffect, useId, useState } from 'react'
import { api, messageOf } from '../api/client'
import { useConnection } from '../api/connection'
import type { ModeView, Preset } from '../api/wire'
import { type Config, sameConfig } from './schema'

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
  const { recoveries } = useConnection()
  useEffect(() => void load(), [load, recoveries])
  return { all, load }
}

interface PresetBarProps {
  mode: ModeView
  presets: Presets
  chosen: Preset | null
  config: Config
  apply: (preset: Preset | null) => void
}

export function PresetBar({ mode, presets, chosen, config, apply }: PresetBarProps) {
  const id = useId()
  const [saving, setSaving] = useState(false)
  const [trouble, setTrouble] = useState('')
  const [notice, setNotice] = useState('')
  const ofMode = presets.all.filter((one) => one.mode === mode.id)
  const mine = ofMode.filter((one) => one.own)
  const others = ofMode.filter((one) => !one.own)
  const changed = !sameConfig(config, chosen?.config ?? {})
  const act = async (work: () => Promise<unknown>, message: string) => {
    setTrouble('')
    setNotice('')
    try {
      await work()
      await presets.load()
      setNotice(message)
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
            setNotice('')
            apply(ofMode.find((one) => one.id === event.target.value) ?? null)
          }}
        >
          <option value="">Default setup</option>
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
            Reset to defaults
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
          {chosen ? 'Save as new preset' : 'Save as preset'}
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
                () => api.setDefaultPreset(chosen.id, !chosen.isDefault),
                chosen.isDefault
                  ? `${mode.name} now starts with the default setup.`
                  : `${mode.name} now starts with this preset.`,
              )
            }
          >
            Make default for {mode.name}
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
                    chosen.shared ? 'No longer shared.' : 'Shared with everyone on this server.',
                  )
                }
              >
                Share on this server
              </button>
              <button
                type="button"
                className="small"
                onClick={() =>
                  void act(async () => {
                    await api.removePreset(chosen.id)
                    apply(null)
                  }, `Deleted “${chosen.name}”.`)
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
          This preset no longer fits {mode.name}: {chosen.problem}. Everything that still fits is set below;
          correct the rest and save.
        </p>
      )}
      {saving && (
        <SaveForm
          mode={mode}
          config={config}
          close={() => setSaving(false)}
          onSave={(preset) => {
            setSaving(false)
            setTrouble('')
            void presets.load().then(() => {
              apply(preset)
              setNotice(`Saved “${preset.name}”.`)
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
        {notice}
      </span>
    </div>
  )
}

const option = (preset: Preset) => (
  <option key={preset.id} value={preset.id}>
    {preset.name}
    {preset.own ? '' : ` (${preset.owner})`}
    {preset.isDefault ? ' ★' : ''}
    {preset.problem ? ' – outdated' : ''}
  </option>
)

function SaveForm({
  mode,
  config,
  close,
  onSave,
}: {
  mode: ModeView
  config: Config
  close: () => void
  onSave: (preset: Preset) => void
}) {
  const id = useId()
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const [isDefault, setIsDefault] = useState(false)
  const [wrong, setWrong] = useState('')
  const save = async () => {
    setWrong('')
    try {
      const preset = await api.addPreset({ name, mode: mode.id, config, shared })
      onSave(isDefault ? await api.setDefaultPreset(preset.id, true) : preset)
    } catch (error) {
      setWrong(messageOf(error))
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
      <legend className="unseen">Save as preset</legend>
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
        <input type="checkbox" checked={isDefault} onChange={(event) => setIsDefault(event.target.checked)} />{' '}
        Make default for {mode.name}
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
