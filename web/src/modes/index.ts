import { blueprint } from './blueprint'
import { brainstorm } from './brainstorm'
import { chain } from './chain'
import { confidenceWeighted } from './confidence_weighted'
import { council } from './council'
import { debate } from './debate'
import { decompose } from './decompose'
import { delphi } from './delphi'
import { dialectic } from './dialectic'
import { factCheck } from './fact_check'
import { jury } from './jury'
import { other } from './other'
import type { ModePart } from './part'
import { peerReview } from './peer_review'
import { redTeam } from './red_team'
import { specialistPanel } from './specialist_panel'
import { tournament } from './tournament'
import { vote } from './vote'

const PARTS: Record<string, ModePart> = {
  council,
  vote,
  jury,
  debate,
  delphi,
  red_team: redTeam,
  chain,
  specialist_panel: specialistPanel,
  blueprint,
  peer_review: peerReview,
  tournament,
  confidence_weighted: confidenceWeighted,
  decompose,
  brainstorm,
  fact_check: factCheck,
  dialectic,
}

export const partOf = (mode: string | undefined): ModePart => PARTS[mode ?? ''] ?? other
