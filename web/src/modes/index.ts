// How each mode is shown. A mode's picture and its styles are fetched when the first run of it is opened.

import { other } from '../run/plain_picture'
import type { ModePart } from '../run/mode_part'

const PARTS: Record<string, () => Promise<ModePart>> = {
  council: () => import('./council/picture').then((all) => all.council),
  vote: () => import('./vote/picture').then((all) => all.vote),
  jury: () => import('./jury/picture').then((all) => all.jury),
  debate: () => import('./debate/picture').then((all) => all.debate),
  delphi: () => import('./delphi/picture').then((all) => all.delphi),
  red_team: () => import('./red_team/picture').then((all) => all.redTeam),
  chain: () => import('./chain/picture').then((all) => all.chain),
  specialist_panel: () => import('./specialist_panel/picture').then((all) => all.specialistPanel),
  blueprint: () => import('./blueprint/picture').then((all) => all.blueprint),
  peer_review: () => import('./peer_review/picture').then((all) => all.peerReview),
  tournament: () => import('./tournament/picture').then((all) => all.tournament),
  confidence_weighted: () => import('./confidence_weighted/picture').then((all) => all.confidenceWeighted),
  decompose: () => import('./decompose/picture').then((all) => all.decompose),
  brainstorm: () => import('./brainstorm/picture').then((all) => all.brainstorm),
  fact_check: () => import('./fact_check/picture').then((all) => all.factCheck),
  dialectic: () => import('./dialectic/picture').then((all) => all.dialectic),
}
const opened = new Map<string, Promise<ModePart>>()

/** The same promise each time, as React's `use` wants it. Where a picture cannot be had, the plain one stands in. */
export function partOf(mode: string): Promise<ModePart> {
  let part = opened.get(mode)
  if (!part) {
    part = PARTS[mode]?.().catch(() => other) ?? Promise.resolve(other)
    opened.set(mode, part)
  }
  return part
}
