/** The two sides keep the colours and signs of the first two seats. */
export const SKEPTIC = 1
export const PROPOSER = 2
