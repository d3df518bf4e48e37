import { reportMissingPart } from '../api/connection'
import type { ModePart, ModePicture } from './mode_part'
import * as plain from './plain_picture'

const pictures = new Map<ModePart, Promise<ModePicture>>()

/** The same promise each time, as React's `use` wants it. Where a picture cannot be had, the plain one stands in. */
export function pictureOf(part: ModePart): Promise<ModePicture> {
  let picture = pictures.get(part)
  if (!picture) {
    picture = part.picture().catch(() => {
      void reportMissingPart()
      return plain
    })
    pictures.set(part, picture)
  }
  return picture
}

/** A mode that this page does not know. */
export const plainPart: ModePart = { names: {}, plan: [], picture: () => Promise.resolve(plain) }
