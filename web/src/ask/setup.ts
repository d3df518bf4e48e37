// How modes were set up, kept while the tab is open.

import { useState } from 'react'
import type { ModeView, Preset } from '../api/wire'
import { type Config, type Schema, sameConfig } from './schema'

/** How a mode was set up: what was changed, and the preset it began with. */
export interface Setup {
  config: Config
  preset: string | null
}

export function lastMode(open: ModeView[]): string | undefined {
  const mode = localStorage.getItem('moot.mode')
  return open.some((one) => one.id === mode) ? (mode ?? undefined) : undefined
}

/** What of a preset the mode still knows, with the text that is there. */
export function setupFrom(preset: Preset | undefined, schema: Schema, text: Config = {}): Setup {
  const known = Object.entries(preset?.config ?? {}).filter(([name]) => schema.properties?.[name])
  return { config: { ...text, ...Object.fromEntries(known) }, preset: preset?.id ?? null }
}

/** Of a config, the texts that are worked on; or all but these. */
export const workTexts = (config: Config, schema: Schema, wanted: boolean): Config =>
  Object.fromEntries(
    Object.entries(config).filter(([name]) => (schema.properties?.[name]?.format === 'text') === wanted),
  )

/** Of a whole config, what is not the default anyway. */
export const changedFields = (config: Config, schema: Schema): Config =>
  Object.fromEntries(
    Object.entries(config).filter(([name, value]) => {
      const field = schema.properties?.[name]
      return field && value !== null && !sameConfig({ value }, { value: field.default })
    }),
  )

/** Kept while the tab is open: whoever asks twice wants the same house. */
export function useSetups(): [Record<string, Setup>, (next: Record<string, Setup>) => void] {
  const [setups, setSetups] = useState<Record<string, Setup>>(() => {
    try {
      return JSON.parse(sessionStorage.getItem('moot.setups') ?? '{}') as Record<string, Setup>
    } catch {
      return {}
    }
  })
  const set = (next: Record<string, Setup>) => {
    setSetups(next)
    try {
      sessionStorage.setItem('moot.setups', JSON.stringify(next))
    } catch {
      // too long to be kept
    }
  }
  return [setups, set]
}
