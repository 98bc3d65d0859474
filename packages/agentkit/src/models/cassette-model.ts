import { AgentKitError, type Model } from '@agentkit/core'
import type { ReplayedModel } from '@agentkit/testing'
import { importTesting } from '../util/import-optional.ts'
import { type LazyModel, lazyModel } from './lazy-model.ts'

/** The variables by which `agentkit record` and `agentkit replay` tell the command that they run; each names a cassette. */
export const cassetteVariables = { record: 'AGENTKIT_RECORD', replay: 'AGENTKIT_REPLAY' } as const

/**
 * The model as it is; where the environment names a cassette, as it is recorded, or replayed.
 * @throws AgentKitError `invalid-config` when it shall be both
 */
export function onCassette(model: Model): Model {
  if (isReplaying()) return replayedModel(model.id)
  const file = process.env[cassetteVariables.record]
  if (!file) return model
  return lazyModel(model.id, async () => {
    const { record } = await importTesting()
    await model.load?.()
    // The command may have several processes.
    return record(model, file, { append: true })
  })
}

/**
 * Whether models answer from a cassette: then they need no key.
 * @throws AgentKitError `invalid-config` when they shall be recorded too
 */
export function isReplaying(): boolean {
  const { record, replay } = cassetteVariables
  if (!process.env[replay]) return false
  if (process.env[record]) throw new AgentKitError('invalid-config', `Set ${record} or ${replay}, not both.`)
  return true
}

/** What was recorded of a model; its package, and its key, need not be there. */
export function replayedModel(id: string): LazyModel {
  return lazyModel(id, async () => (await openCassette(process.env[cassetteVariables.replay] ?? '')).model(id))
}

/** One for all models of the process: each call is given out once. */
const cassettes = new Map<string, Promise<ReplayedModel>>()

function openCassette(file: string): Promise<ReplayedModel> {
  const open = cassettes.get(file) ?? importTesting().then(({ replay }) => replay(file))
  cassettes.set(file, open)
  return open
}
