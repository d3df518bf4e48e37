/** The address if a person may be sent there, else null. */
export function safeUrl(href: string): URL | null {
  try {
    const address = new URL(href)
    return ['http:', 'https:', 'mailto:'].includes(address.protocol) && !address.username ? address : null
  } catch {
    return null
  }
}
