import type { Runnable } from '@agentkit/core'
import { isRecord, sha256 } from '@agentkit/core/internal'
import type { NamedCase } from '../data/eval-case.ts'
import type { Scorer } from '../data/scorer.ts'

/**
 * The hash of the agent that stored results depend on: with another agent, case or scorer the key differs, so the runs
 * are made again. The hash does not cover the code of tools; a new `version` of the agent shows that it has changed.
 */
export async function agentHash(agent: Runnable): Promise<string> {
  return sha256(json([agent.id, agent.version, await partsOfAgent(agent)]))
}

async function partsOfAgent(agent: object): Promise<unknown> {
  const spec = 'toSpec' in agent && typeof agent.toSpec === 'function' ? agent.toSpec() : undefined
  // The agents of a workflow, which its specification does not have.
  const steps = 'agents' in agent && Array.isArray(agent.agents) ? agent.agents.filter(isRecord) : []
  return [await partsOf(spec), await Promise.all(steps.map(partsOfAgent))]
}

/** The part of an agent's specification that determines its answers, with its members. */
async function partsOf(spec: unknown): Promise<unknown> {
  if (!isRecord(spec)) return null
  const { id, instruction, modelSettings, maxSteps, budget, chain, storedVersion, members } = spec
  const models = isRecord(chain) && Array.isArray(chain.models) ? chain.models.map((model) => model.id) : []
  const called = async (method: unknown): Promise<unknown> => {
    return typeof method === 'function' ? method.call(spec) : undefined
  }
  const version = await called(storedVersion)
  // A tool that cannot be described fails the run itself.
  const tools = await called(spec.describeTools).catch(() => undefined)
  const output = await called(spec.outputFormat).catch(() => undefined)
  const form = isRecord(output) ? output.json : undefined
  const inner = Array.isArray(members) ? await Promise.all(members.map(partsOf)) : []
  return [id, instruction, modelSettings, maxSteps, budget, models, version, tools, form, inner]
}

export function scorersHash(scorers: readonly Scorer[]): string {
  return sha256(json(scorers.map(({ name, version, score }) => [name, version, score.toString()])))
}

export function caseHash({ id, input, expected, history, tags, userId }: NamedCase): string {
  const asked = userId === undefined ? [] : [userId]
  return sha256(json([id, input, expected, history, tags, ...asked]))
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
