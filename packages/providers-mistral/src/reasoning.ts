import type { ModelRequest } from '@agentkit/core'
import { type ModelFacts, modelTraits, type TraitTable } from '@agentkit/wire'

type Effort = NonNullable<ModelRequest['reasoning']>

/**
 * The effort as the model accepts it, or `undefined` for none. A model refuses an effort that is not one of its own, so
 * the nearest of them is sent, rather more than less.
 */
export function reasoningEffort(
  model: string,
  effort: Effort | undefined,
  facts: ModelFacts | undefined,
  warnings: string[],
): Effort | undefined {
  if (effort === undefined) return undefined
  const { alwaysReasons, ...traits } = modelTraits(model, table)
  const efforts = facts?.reasoning === false ? [] : traits.efforts
  if (efforts === undefined || efforts.includes(effort)) return effort
  const nearest = efforts.find((known) => order.indexOf(known) > order.indexOf(effort)) ?? efforts.at(-1)
  if (nearest !== undefined) {
    warnings.push(`"${model}" does not take the effort "${effort}": it was sent as "${nearest}".`)
  } else if (effort !== 'none' || alwaysReasons) {
    warnings.push(`"${model}" does not take \`reasoning\`: it was left out.`)
  }
  return nearest
}

const order: readonly Effort[] = ['none', 'low', 'medium', 'high']

type ReasoningTraits = {
  /** From the least to the most; `undefined` where they are not known: then any is sent. */
  efforts: readonly Effort[] | undefined
  alwaysReasons: boolean
}

const table: TraitTable<ReasoningTraits> = {
  defaults: { efforts: undefined, alwaysReasons: false },
  rows: [
    [{ name: /^(?:mistral-(?:small|medium)-|magistral-|labs-leanstral|(?:zai-)?glm-)/ }, { efforts: ['none', 'high'] }],
    [{ name: /^deepseek-/ }, { efforts: ['none', 'low', 'high'] }],
    [{ name: /^zai-glm-5-3/ }, { efforts: ['low', 'high'] }],
    [{ name: /^mistral-large-(?:4|latest)/ }, { efforts: ['low', 'medium', 'high'] }],
    [{ name: /^(?:ministral|codestral|devstral|pixtral|voxtral|open-)/ }, { efforts: [] }],
    [{ name: /^mistral-(?:large|medium|small|tiny)-2[345]/ }, { efforts: [] }],
    // The first generation reasons always, and refuses an effort.
    [{ name: /^magistral-(?:small|medium)-2/ }, { efforts: [], alwaysReasons: true }],
  ],
}
