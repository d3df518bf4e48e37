/** Where a model found nothing, another was asked: what came of it. */
export interface Opinion {
  firstModel: string
  model: string
  agrees: boolean | null
}

export function SecondOpinion({ opinion }: { opinion: Opinion | undefined }) {
  return opinion ? <p className="hint">{sentence(opinion)}</p> : null
}

function sentence({ firstModel, model, agrees }: Opinion): string {
  if (agrees === null) return `${model}, asked too, gave no reply that could be read.`
  return agrees ? `${model}, asked too, found nothing either.` : `${firstModel}, asked first, found nothing.`
}
