// A question that nobody has asked yet. It outlives leaving the form, reloading, and closing the tab.

export interface Draft {
  text: string
  mode: string
  /** What the mode is to be set up with, where the draft comes from a run. */
  config?: Record<string, unknown>
}

const KEY = 'moot.draft'

/** This tab's draft; else the one that was left last in any. */
export function currentDraft(): Draft | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY) ?? 'null') as unknown
    return isDraft(draft) ? draft : null
  } catch {
    return null
  }
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string'

export function saveDraft(draft: Draft): void {
  if (!draft.text && !draft.config) return clearDraft()
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft))
    localStorage.setItem(KEY, JSON.stringify(draft))
  } catch {
    // too long to be kept
  }
}

export function clearDraft(): void {
  sessionStorage.removeItem(KEY)
  localStorage.removeItem(KEY)
}

/** Open the form with this draft in it. */
export function startDraft(draft: Draft): void {
  saveDraft(draft)
  location.hash = '#/'
}
