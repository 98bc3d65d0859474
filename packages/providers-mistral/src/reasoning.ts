import type { ModelRequest } from '@agentkit/core'
import type { ModelFacts } from '@agentkit/wire'

type Effort = NonNullable<ModelRequest['reasoning']>

/**
 * The effort as the model takes it; `undefined` says nothing of it. A model refuses an effort that is not one of its
 * own, so the nearest of them is sent, rather more than less.
 */
export function reasoningEffort(
  model: string,
  effort: Effort | undefined,
  facts: ModelFacts | undefined,
  warnings: string[],
): Effort | undefined {
  if (effort === undefined) return undefined
  const efforts = effortsOf(model, facts)
  if (efforts === undefined || efforts.includes(effort)) return effort
  const nearest = efforts.find((known) => order.indexOf(known) > order.indexOf(effort)) ?? efforts.at(-1)
  if (nearest !== undefined) {
    warnings.push(`"${model}" does not take the effort "${effort}": it was sent as "${nearest}".`)
  } else if (effort !== 'none' || alwaysReasons.test(model)) {
    warnings.push(`"${model}" does not take \`reasoning\`: it was left out.`)
  }
  return nearest
}

const order: readonly Effort[] = ['none', 'low', 'medium', 'high']

/** `undefined` where they are not known: then any is sent. */
function effortsOf(model: string, facts: ModelFacts | undefined): readonly Effort[] | undefined {
  if (facts?.reasoning === false) return []
  return knownEfforts.find(([name]) => name.test(model))?.[1]
}

/** The first generation reasons always, and refuses the word. */
const alwaysReasons = /^magistral-(?:small|medium)-2/

/** From the least to the most; the first row that fits a name holds. */
const knownEfforts: readonly [name: RegExp, efforts: readonly Effort[]][] = [
  [alwaysReasons, []],
  [/^(?:ministral|codestral|devstral|pixtral|voxtral|open-|mistral-(?:large|medium|small|tiny)-2[345])/, []],
  [/^mistral-large-4/, ['low', 'medium', 'high']],
  [/^zai-glm-5-3/, ['low', 'high']],
  [/^deepseek-/, ['none', 'low', 'high']],
  [/^(?:mistral-(?:small|medium)-|magistral-|labs-leanstral|(?:zai-)?glm-)/, ['none', 'high']],
]
