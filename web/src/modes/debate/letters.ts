/** "Response B", "Responses A, C and D": the letters a reason names. */
export function lettersIn(reasoning: string | null): string[] {
  const named = (reasoning ?? '').matchAll(
    /\b[Rr]esponses? ([A-Z](?:(?:, (?:and )?| and | or | & )(?:[Rr]esponse )?[A-Z])*)(?!\w)/g,
  )
  return [...new Set([...named].flatMap((found) => found[1]!.match(/\b[A-Z]\b/g) ?? []))]
}
