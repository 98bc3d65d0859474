import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isRecord, nearestWord } from '@agentkit/core/internal'
import type { EvaluateOptions } from '@agentkit/evals/internal'
import { deferMissingKeys } from '../models/named-model.ts'
import { beginLoading } from '../util/loaded-file.ts'
import { UsageError } from './common/usage-error.ts'

export type LoadedEval = {
  options: EvaluateOptions
  /** Closes the agents, and what they have opened. */
  close(): Promise<void>
}

/** A scorer, and the mean that it must have. */
export type LeastMean = { scorer: string; mean: number }

/**
 * The options of `evaluate` that a file exports. Typed functions in it are tools, as with `agentkit/register`.
 *
 * @param record whether models are called and recorded; otherwise a cassette of the eval is replayed, unless it has a
 *   `mode`, and needs no key
 * @throws UsageError for a file without options, and for `record` without a cassette; what the file itself throws
 */
export async function loadEval(file: string, record: boolean): Promise<LoadedEval> {
  beginLoading({ served: new Set() })
  deferMissingKeys()
  await import('@agentkit/functions/register')
  const { default: exported }: { default?: unknown } = await import(pathToFileURL(resolve(file)).href)
  if (!isRecord(exported) || !('scorers' in exported)) {
    throw new UsageError(
      `"${file}" has no eval. Its default export is the options: export default { agent, cases, scorers }.`,
    )
  }
  // `evaluate` checks them.
  const given = exported as EvaluateOptions & { cassette?: { file: string; mode?: 'replay' | 'record' } }
  const { cassette } = given
  if (record && cassette === undefined) {
    throw new UsageError(
      `--record needs a file: add cassette: { file: "…", mode: "replay" } to the options in "${file}".`,
    )
  }
  const mode = record ? 'record' : (cassette?.mode ?? 'replay')
  const options: EvaluateOptions = { ...given, ...(isRecord(cassette) && { cassette: { ...cassette, mode } }) }
  const agents = agentsOf(options)
  // A missing key or package ends the command, not each of its runs.
  if (options.cassette?.mode !== 'replay') await loadModels(agents)
  return { options, close: async () => void (await Promise.allSettled(agents.map(async (agent) => agent.close?.()))) }
}

type AgentOfEval = { models?: readonly { load?(): Promise<void> }[]; close?(): Promise<void> }

function agentsOf({ agent, variants }: EvaluateOptions): AgentOfEval[] {
  return [agent, ...(isRecord(variants) ? Object.values(variants) : [])].filter(
    (one) => isRecord(Object(one)) && Boolean(one),
  ) as AgentOfEval[]
}

async function loadModels(agents: readonly AgentOfEval[]): Promise<void> {
  for (const { models = [] } of agents) await Promise.all(models.map((model) => model.load?.()))
}

/** A parser of `--fail-under`. @throws UsageError */
export function leastMean(text: string, earlier: readonly LeastMean[] = []): LeastMean[] {
  const place = text.lastIndexOf('=')
  const [scorer, figure] = [text.slice(0, place), text.slice(place + 1)]
  const mean = Number(figure)
  if (place < 1 || figure.trim() === '' || !(mean >= 0 && mean <= 1)) {
    throw new UsageError(
      `--fail-under is a scorer and its least mean from 0 to 1, such as exact=0.9, not ${JSON.stringify(text.slice(0, 60))}.`,
    )
  }
  return [...earlier, { scorer, mean }]
}

/** @throws UsageError for a scorer that the eval does not have, with the most similar one */
export function checkScorers(least: readonly LeastMean[], { scorers }: EvaluateOptions): void {
  const names = Array.isArray(scorers) ? scorers.map((scorer) => String(scorer?.name)) : []
  for (const { scorer } of least) {
    if (names.includes(scorer)) continue
    const nearest = nearestWord(scorer, names)
    const hint = nearest === undefined ? `It has ${names.join(', ')}.` : `Did you mean "${nearest}"?`
    throw new UsageError(`The eval has no scorer "${scorer.slice(0, 60)}". ${hint}`)
  }
}
