import { isAgentKitError, type Knowledge } from '@agentkit/core'
import { progressLine } from './sync-lines.ts'

/** Between two lines about a sync that takes its time, in milliseconds. */
const quietMs = 2_000

/**
 * Syncs what a served agent looks up, at once rather than at the first question, and says how far it is. Where
 * `agentkit dev` runs, the folder is watched from then on.
 *
 * A failure is told and ends nothing: the first question meets it too, and answers with it.
 */
export async function keepSynced(knowledge: Knowledge, quiet: boolean): Promise<void> {
  let toldAt = performance.now()
  try {
    await knowledge.sync({
      onProgress(progress) {
        if (quiet || performance.now() - toldAt < quietMs) return
        toldAt = performance.now()
        console.log(progressLine(progress))
      },
    })
    if (process.env.AGENTKIT_DEV) await watch(knowledge)
  } catch (error) {
    if (!isAgentKitError(error)) throw error
    if (error.code !== 'aborted') console.warn(`agentkit: the files could not be synced: ${error.message}`)
  }
}

type Watchable = { watch(options: { signal: AbortSignal; onError(error: unknown): void }): void }

async function watch(knowledge: Knowledge): Promise<void> {
  const retriever: unknown =
    'load' in knowledge && typeof knowledge.load === 'function' ? await knowledge.load() : knowledge
  if (!isWatchable(retriever)) return
  retriever.watch({
    signal: new AbortController().signal,
    onError: (error) => console.warn(`agentkit: the files could not be synced: ${String(error)}`),
  })
}

function isWatchable(value: unknown): value is Watchable {
  return typeof value === 'object' && value !== null && 'watch' in value && typeof value.watch === 'function'
}
