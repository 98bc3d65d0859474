import type { Knowledge, SyncOptions, SyncReport, Tool } from '@agentkit/core'
import { invalidArgument, separateFolder } from '@agentkit/core/internal'
import { definedOnly } from '../util/defined-only.ts'
import { lazy } from '../util/lazy.ts'

/** The properties of knowledge that are known before it is created. */
type KnownBefore = {
  firstAnswerSeconds?: number | undefined
  folder?: string | undefined
  exts?: readonly string[] | undefined
}

type FileKnowledge = Knowledge & Required<Pick<Knowledge, 'records' | 'passage' | 'separateUsers'>>

/** Knowledge that is created by `load()`, or by the first call that needs it. */
export interface LazyKnowledge<Loaded extends FileKnowledge> extends Knowledge {
  load(): Promise<Loaded>
}

/**
 * Knowledge that is created when it is first needed. A creation that fails is tried again by the next call.
 *
 * @param onSync receives the report of each sync
 * @param known the properties that are read before the knowledge is created
 */
export function lazyKnowledge<Loaded extends FileKnowledge>(
  create: () => Promise<Loaded>,
  onSync: (report: SyncReport) => void = () => {},
  known: KnownBefore = {},
): LazyKnowledge<Loaded> {
  let isSeparate = false
  const knowledge = lazy(async () => {
    const loaded = await create()
    if (isSeparate) loaded.separateUsers()
    return loaded
  })
  let isClosed = false
  const load = async (): Promise<Loaded> => {
    if (isClosed) throw invalidArgument('The files are closed with their agent. Create a new one.')
    return knowledge.load()
  }
  return {
    load,
    ...definedOnly(known),
    // A run syncs before it reads the tools, so the knowledge is loaded by then.
    tools: (): Tool[] => knowledge.value?.tools() ?? [],
    async sync(options?: SyncOptions): Promise<SyncReport> {
      const report = await (await load()).sync(options)
      onSync(report)
      return report
    },
    files: async () => (await load()).files(),
    records: async () => (await load()).records(),
    passage: async (chunkId, options) => (await load()).passage(chunkId, options),
    separateUsers() {
      isSeparate = true
      // Before it is created, other agents may search the same folder.
      if (known.folder !== undefined) separateFolder(known.folder)
      knowledge.value?.separateUsers()
    },
    async close() {
      isClosed = true
      // After a failed creation there is nothing to close.
      await (await knowledge.loading?.catch(() => undefined))?.close()
    },
  }
}
