import type { Knowledge, SyncOptions, SyncReport, Tool } from '@agentkit/core'
import { invalidArgument } from '@agentkit/core/internal'
import { lazy } from '../util/lazy.ts'

/** Knowledge that is created by `load()`, or by the first call that needs it. */
export interface LazyKnowledge<Loaded extends Knowledge> extends Knowledge {
  load(): Promise<Loaded>
}

/**
 * Knowledge that is created when it is first needed. A creation that fails is tried again by the next call.
 *
 * @param onSync receives the report of each sync
 * @param firstAnswerSeconds of the knowledge: it is read before the knowledge is created
 */
export function lazyKnowledge<Loaded extends Knowledge>(
  create: () => Promise<Loaded>,
  onSync: (report: SyncReport) => void = () => {},
  firstAnswerSeconds?: number,
): LazyKnowledge<Loaded> {
  const knowledge = lazy(create)
  let isClosed = false
  const load = async (): Promise<Loaded> => {
    if (isClosed) throw invalidArgument('The files are closed with their agent. Create a new one.')
    return knowledge.load()
  }
  return {
    load,
    ...(firstAnswerSeconds !== undefined && { firstAnswerSeconds }),
    // A run syncs before it reads the tools, so the knowledge is loaded by then.
    tools: (): Tool[] => knowledge.value?.tools() ?? [],
    async sync(options?: SyncOptions): Promise<SyncReport> {
      const report = await (await load()).sync(options)
      onSync(report)
      return report
    },
    files: async () => (await load()).files(),
    async close() {
      isClosed = true
      // After a failed creation there is nothing to close.
      await (await knowledge.loading?.catch(() => undefined))?.close()
    },
  }
}
