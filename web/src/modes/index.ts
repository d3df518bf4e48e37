// How each mode is shown. A mode's picture and its styles are fetched when the first run of it is opened.

import { other } from './other'
import type { ModePart } from './part'

const PARTS: Record<string, () => Promise<ModePart>> = {
  council: () => import('./council').then((all) => all.council),
  vote: () => import('./vote').then((all) => all.vote),
  jury: () => import('./jury').then((all) => all.jury),
  debate: () => import('./debate').then((all) => all.debate),
  delphi: () => import('./delphi').then((all) => all.delphi),
  red_team: () => import('./red_team').then((all) => all.redTeam),
  chain: () => import('./chain').then((all) => all.chain),
  specialist_panel: () => import('./specialist_panel').then((all) => all.specialistPanel),
  blueprint: () => import('./blueprint').then((all) => all.blueprint),
  peer_review: () => import('./peer_review').then((all) => all.peerReview),
  tournament: () => import('./tournament').then((all) => all.tournament),
  confidence_weighted: () => import('./confidence_weighted').then((all) => all.confidenceWeighted),
  decompose: () => import('./decompose').then((all) => all.decompose),
  brainstorm: () => import('./brainstorm').then((all) => all.brainstorm),
  fact_check: () => import('./fact_check').then((all) => all.factCheck),
  dialectic: () => import('./dialectic').then((all) => all.dialectic),
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
