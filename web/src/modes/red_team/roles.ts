/** The two sides keep the colours and signs of the first two seats. */
export const AUTHOR = 1
export const ATTACKER = 2
