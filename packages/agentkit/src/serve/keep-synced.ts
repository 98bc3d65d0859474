import { isAgentKitError, type Knowledge, terminalLine } from '@agentkit/core'
import type { FileChange } from '@agentkit/retriever'
import { progressLine } from '../knowledge/sync-lines.ts'
import { changeLines } from './change-lines.ts'

/** Milliseconds between two progress lines. */
const progressMs = 2_000

export type KeepSyncedOptions = {
  /** Prints failures only. */
  quiet: boolean
  /** Ends the watch. */
  signal: AbortSignal
}

/**
 * Syncs the knowledge of a served agent at once, rather than at the first question, and prints the progress. From then on
 * its folder is watched, also after a failure, and each change of a file is printed, also of one that another process has changed.
 *
 * A failure is printed and does not stop the server: the first question syncs again and reports it.
 */
export async function keepSynced(knowledge: Knowledge, { quiet, signal }: KeepSyncedOptions): Promise<void> {
  let printedAt = performance.now()
  let reported = ''
  const print = (line: string): void => {
    if (!quiet) console.log(terminalLine(line))
  }
  const report = (error: unknown): void => {
    const problem = error instanceof Error ? error.message : String(error)
    // The watcher's first sync repeats the failure that was just reported.
    if (problem !== reported) console.warn(terminalLine(`agentkit: the files could not be synced: ${problem}`))
    reported = problem
  }
  if (knowledge.folder !== undefined && (isLazy(knowledge) || isWatchable(knowledge))) {
    print(`The files in ${knowledge.folder} are watched.`)
  }
  try {
    await knowledge.sync({
      onProgress(progress) {
        if (performance.now() - printedAt < progressMs) return
        printedAt = performance.now()
        print(progressLine(progress))
      },
    })
  } catch (error) {
    // The agent was closed.
    if (isAgentKitError(error) && error.code === 'aborted') return
    report(error)
  }
  if (signal.aborted) return
  const onSync = (_: unknown, changes: readonly FileChange[]): void => {
    reported = ''
    for (const line of changeLines(changes)) print(line)
  }
  await watch(knowledge, { signal, onSync, onError: report }).catch((error) => signal.aborted || report(error))
}

type WatchOptions = {
  signal: AbortSignal
  onSync(report: unknown, changes: readonly FileChange[]): void
  onError(error: unknown): void
}
type Watchable = { watch(options: WatchOptions): void }

/** Custom knowledge may not be one that can be watched. */
async function watch(knowledge: Knowledge, options: WatchOptions): Promise<void> {
  const retriever: unknown = isLazy(knowledge) ? await knowledge.load() : knowledge
  if (isWatchable(retriever) && !options.signal.aborted) retriever.watch(options)
}

function isLazy(knowledge: Knowledge): knowledge is Knowledge & { load(): Promise<unknown> } {
  return 'load' in knowledge && typeof knowledge.load === 'function'
}

function isWatchable(value: unknown): value is Watchable {
  return typeof value === 'object' && value !== null && 'watch' in value && typeof value.watch === 'function'
}
