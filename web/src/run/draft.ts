// A question begun elsewhere on the page, until somebody asks it.

let begun: { text: string; mode: string } | null = null

export function beginQuestion(text: string, mode: string): void {
  begun = { text, mode }
  location.hash = '#/'
}

export const begunQuestion = () => begun

export function forgetQuestion(): void {
  begun = null
}
