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
  if (agrees === null) return `${model} was asked too, but its reply could not be read.`
  return agrees
    ? `${model} was asked too and found nothing either.`
    : `${firstModel} found nothing, so ${model} was asked too.`
}
