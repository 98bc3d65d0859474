import type { Model } from '../contracts/model.ts'
import { invalidArgument } from '../data/errors.ts'
import { isRecord } from '../data/message-problem.ts'

const amounts = ['contextWindow', 'maxOutputTokens'] as const
const needed = ['inputUsdPerMillion', 'outputUsdPerMillion'] as const
const rates = [...needed, 'cachedInputUsdPerMillion', 'cacheWriteUsdPerMillion'] as const
const nativeOutputs: readonly unknown[] = ['always', 'without-tools', 'never', undefined]

/**
 * Checks the facts about a model, which any code can write: a price without a number would make each cost NaN.
 * @throws AgentKitError `invalid-argument`
 */
export function checkModelInfo({ id, info }: Model): void {
  const problem = info ? problemOf(info) : undefined
  if (problem !== undefined) throw invalidArgument(`The \`info\` of the model "${id}" cannot be used: ${problem}.`)
}

function problemOf(info: unknown): string | undefined {
  if (!isRecord(info)) return 'it is an object such as { contextWindow: 128_000 }'
  const wrong = amounts.find((name) => info[name] !== undefined && !(typeof info[name] === 'number' && info[name] > 0))
  if (wrong) return `\`${wrong}\` is a number of tokens above 0`
  const { imageTokens } = info
  if (imageTokens !== undefined && !(typeof imageTokens === 'number' && imageTokens >= 0)) {
    return '`imageTokens` is a number of tokens from 0'
  }
  if (!nativeOutputs.includes(info.nativeOutput)) return '`nativeOutput` is "always", "without-tools" or "never"'
  return info.price === undefined ? undefined : priceProblem(info.price)
}

function priceProblem(price: unknown): string | undefined {
  if (!isRecord(price)) return '`price` is an object: { inputUsdPerMillion, outputUsdPerMillion, asOf }'
  const missing = needed.find((name) => price[name] === undefined)
  if (missing) return `\`price\` needs \`${missing}\``
  const wrong = rates.find((name) => price[name] !== undefined && !isRate(price[name]))
  return wrong && `\`price.${wrong}\` is a number of US dollars, from 0`
}

function isRate(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY
}
