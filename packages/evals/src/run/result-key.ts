import type { Runnable } from '@agentkit/core'
import { isRecord, sha256 } from '@agentkit/core/internal'
import type { NamedCase } from '../data/eval-case.ts'
import type { Scorer } from '../data/scorer.ts'

/**
 * What a stored result depends on: another agent, case or scorer has other keys, so that its runs are made. The code of
 * tools is not seen; `version` of the agent says that it has changed.
 */
export async function agentHash(agent: Runnable): Promise<string> {
  const spec = 'toSpec' in agent && typeof agent.toSpec === 'function' ? agent.toSpec() : undefined
  return sha256(json([agent.id, agent.version, await partsOf(spec)]))
}

/** The part of an agent's specification that decides what it answers, with its members. */
async function partsOf(spec: unknown): Promise<unknown> {
  if (!isRecord(spec)) return null
  const { id, instruction, modelSettings, maxSteps, budget, chain, storedVersion, members } = spec
  const models = isRecord(chain) && Array.isArray(chain.models) ? chain.models.map((model) => model.id) : []
  // Its own version, or a hash of instruction and schemas of tools.
  const version = typeof storedVersion === 'function' ? await storedVersion.call(spec) : undefined
  const inner = Array.isArray(members) ? await Promise.all(members.map(partsOf)) : []
  return [id, instruction, modelSettings, maxSteps, budget, models, version, inner]
}

export function scorersHash(scorers: readonly Scorer[]): string {
  return sha256(json(scorers.map(({ name, version, score }) => [name, version, score.toString()])))
}

export function caseHash({ id, input, expected, history, tags }: NamedCase): string {
  return sha256(json([id, input, expected, history, tags]))
}

export function resultKey(...parts: readonly (string | number)[]): string {
  return sha256(json(parts)).slice(0, 32)
}

/** Bytes of images as base64: as JSON they would be an object with a key for each. */
function json(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one: unknown) => {
      return one instanceof Uint8Array ? Buffer.from(one).toString('base64') : one
    }) ?? ''
  )
}
