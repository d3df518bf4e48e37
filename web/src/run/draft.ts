// A question begun elsewhere on the page, until somebody asks it.

let draft: { text: string; mode: string } | null = null

export function startDraft(text: string, mode: string): void {
  draft = { text, mode }
  location.hash = '#/'
}

export const currentDraft = () => draft

export function clearDraft(): void {
  draft = null
}
