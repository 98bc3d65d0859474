import { isAgentKitError, type Knowledge, terminalLine } from '@agentkit/core'
import { progressLine } from '../knowledge/sync-lines.ts'

/** Between two lines about a sync that takes its time, in milliseconds. */
const quietMs = 2_000

/**
 * Syncs what a served agent looks up, at once rather than at the first question, and says how far it is. Where
 * `agentkit dev` runs, the folder is watched from then on, also when that has failed.
 *
 * A failure is told and ends nothing: the first question meets it too, and answers with it.
 */
export async function keepSynced(knowledge: Knowledge, quiet: boolean): Promise<void> {
  let toldAt = performance.now()
  let told = ''
  const tell = (error: unknown): void => {
    const problem = error instanceof Error ? error.message : String(error)
    // Who watches begins with what has just failed.
    if (problem !== told) console.warn(terminalLine(`agentkit: the files could not be synced: ${problem}`))
    told = problem
  }
  try {
    await knowledge.sync({
      onProgress(progress) {
        if (quiet || performance.now() - toldAt < quietMs) return
        toldAt = performance.now()
        console.log(terminalLine(progressLine(progress)))
      },
    })
  } catch (error) {
    // The agent was closed.
    if (isAgentKitError(error) && error.code === 'aborted') return
    tell(error)
  }
  if (!process.env.AGENTKIT_DEV) return
  const onSync = (): void => {
    told = ''
  }
  await watch(knowledge, { signal: new AbortController().signal, onSync, onError: tell }).catch(tell)
}

type WatchOptions = { signal: AbortSignal; onSync(): void; onError(error: unknown): void }
type Watchable = { watch(options: WatchOptions): void }

async function watch(knowledge: Knowledge, options: WatchOptions): Promise<void> {
  const retriever: unknown =
    'load' in knowledge && typeof knowledge.load === 'function' ? await knowledge.load() : knowledge
  if (isWatchable(retriever)) retriever.watch(options)
}

function isWatchable(value: unknown): value is Watchable {
  return typeof value === 'object' && value !== null && 'watch' in value && typeof value.watch === 'function'
}
