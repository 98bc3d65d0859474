import type { Model } from '@agentkit/core'
import { invalidConfig } from '@agentkit/core/internal'
import type { ReplayedModel } from '@agentkit/testing'
import { importTesting } from '../util/import-optional.ts'
import { type LazyModel, lazyModel } from './lazy-model.ts'

/** `agentkit record` and `agentkit replay` set one of these to the cassette's path for the command that they run. */
export const cassetteVariables = { record: 'AGENTKIT_RECORD', replay: 'AGENTKIT_REPLAY' } as const

/**
 * The model itself, or a model that records or replays it, as the environment variables say.
 * @throws AgentKitError `invalid-config` when the variables for both are set
 */
export function withCassette(model: Model): Model {
  if (isReplaying()) return replayedModel(model.id)
  const file = process.env[cassetteVariables.record]
  if (!file) return model
  return lazyModel(model.id, async () => {
    const { record } = await importTesting()
    await model.load?.()
    // The command may start several processes.
    return record(model, file, { append: true })
  })
}

/**
 * Whether models answer from a cassette. They need no key then.
 * @throws AgentKitError `invalid-config` when they are to be recorded too
 */
export function isReplaying(): boolean {
  const { record, replay } = cassetteVariables
  if (!process.env[replay]) return false
  if (process.env[record]) throw invalidConfig(`Set ${record} or ${replay}, not both.`)
  return true
}

/** A model that replays its recorded calls. It needs neither its package nor its key. */
export function replayedModel(id: string): LazyModel {
  return lazyModel(id, async () => (await openCassette(process.env[cassetteVariables.replay] ?? '')).model(id))
}

/** Shared by all models of the process, as each recorded call is replayed once. */
const cassettes = new Map<string, Promise<ReplayedModel>>()

function openCassette(file: string): Promise<ReplayedModel> {
  const open = cassettes.get(file) ?? importTesting().then(({ replay }) => replay(file))
  cassettes.set(file, open)
  return open
}
