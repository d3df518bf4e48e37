/** The seats whose signs the two sides carry. */
export const SKEPTIC = 1
export const PROPOSER = 2
