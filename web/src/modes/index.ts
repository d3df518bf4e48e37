import { blueprint } from './blueprint'
import { chain } from './chain'
import { confidenceWeighted } from './confidence_weighted'
import { council } from './council'
import { debate } from './debate'
import { decompose } from './decompose'
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
  red_team: redTeam,
  chain,
  specialist_panel: specialistPanel,
  blueprint,
  peer_review: peerReview,
  tournament,
  confidence_weighted: confidenceWeighted,
  decompose,
  fact_check: factCheck,
}

export const partOf = (mode: string | undefined): ModePart => PARTS[mode ?? ''] ?? other
