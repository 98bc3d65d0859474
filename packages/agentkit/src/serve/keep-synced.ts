import { isAgentKitError, type Knowledge, terminalLine } from '@agentkit/core'
import { progressLine } from '../knowledge/sync-lines.ts'

/** Milliseconds between two progress lines. */
const progressMs = 2_000

/**
 * Syncs the knowledge of a served agent at once, rather than at the first question, and prints the progress. Under
 * `agentkit dev` the folder is watched from then on, also after a failure.
 *
 * A failure is printed and does not stop the server: the first question syncs again and reports it.
 */
export async function keepSynced(knowledge: Knowledge, quiet: boolean): Promise<void> {
  let printedAt = performance.now()
  let reported = ''
  const report = (error: unknown): void => {
    const problem = error instanceof Error ? error.message : String(error)
    // The watcher's first sync repeats the failure that was just reported.
    if (problem !== reported) console.warn(terminalLine(`agentkit: the files could not be synced: ${problem}`))
    reported = problem
  }
  try {
    await knowledge.sync({
      onProgress(progress) {
        if (quiet || performance.now() - printedAt < progressMs) return
        printedAt = performance.now()
        console.log(terminalLine(progressLine(progress)))
      },
    })
  } catch (error) {
    // The agent was closed.
    if (isAgentKitError(error) && error.code === 'aborted') return
    report(error)
  }
  if (!process.env.AGENTKIT_DEV) return
  const onSync = (): void => {
    reported = ''
  }
  await watch(knowledge, { signal: new AbortController().signal, onSync, onError: report }).catch(report)
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
