import { AgentKitError, type Knowledge, type SyncOptions, type SyncReport, type Tool } from '@agentkit/core'

/** Knowledge that is made by `load()`, at the latest when something is asked of it. */
export interface LazyKnowledge<Made extends Knowledge> extends Knowledge {
  load(): Promise<Made>
}

/**
 * Knowledge that is made when it is first needed. A making that fails is tried again by the next call.
 *
 * @param onSync is told what each sync has done
 * @param firstAnswerSeconds that of the knowledge, which is asked for before it is made
 */
export function lazyKnowledge<Made extends Knowledge>(
  make: () => Promise<Made>,
  onSync: (report: SyncReport) => void = () => {},
  firstAnswerSeconds?: number,
): LazyKnowledge<Made> {
  let made: Made | undefined
  let making: Promise<Made> | undefined
  let closed = false
  const load = async (): Promise<Made> => {
    if (closed) throw new AgentKitError('invalid-argument', 'The files are closed with their agent. Make a new one.')
    making ??= make().then(
      (knowledge) => {
        made = knowledge
        return knowledge
      },
      (error: unknown) => {
        making = undefined
        throw error
      },
    )
    return making
  }
  return {
    load,
    ...(firstAnswerSeconds !== undefined && { firstAnswerSeconds }),
    // Whoever asks for tools has synced before.
    tools: (): Tool[] => made?.tools() ?? [],
    async sync(options?: SyncOptions): Promise<SyncReport> {
      const report = await (await load()).sync(options)
      onSync(report)
      return report
    },
    files: async () => (await load()).files(),
    async close() {
      closed = true
      // One that could not be made has nothing to close.
      await (await making?.catch(() => undefined))?.close()
    },
  }
}
