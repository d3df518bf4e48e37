// The page's half of every mode: each folder beside this file holds one.

import type { ModePart } from '../run/mode_part'
import { plainPart } from '../run/picture'

export const PARTS = import.meta.glob<ModePart>('./*/index.ts', { eager: true, import: 'part' })

export const partOf = (mode: string): ModePart => PARTS[`./${mode}/index.ts`] ?? plainPart
