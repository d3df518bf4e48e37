/** The seats whose signs the two sides carry. */
export const AUTHOR = 1
export const ATTACKER = 2
