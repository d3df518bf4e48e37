// The page's half of every mode.

import type { ModePart } from '../run/mode_part'
import { plainPart } from '../run/picture'
import * as parts from './parts'

const PARTS: Readonly<Record<string, ModePart>> = parts

export const partOf = (mode: string): ModePart => PARTS[mode] ?? plainPart
