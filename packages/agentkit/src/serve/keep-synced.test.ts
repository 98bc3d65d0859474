import { AgentKitError, type Knowledge, type SyncReport } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { keepSynced } from './keep-synced.ts'

const folder = useFolder()

const quiet = { quiet: true, signal: new AbortController().signal }

type Watch = { signal: AbortSignal; onSync(report: unknown, changes: unknown[]): void; onError(error: unknown): void }

/** Knowledge whose sync fails with this error. */
function failing(error: unknown): { knowledge: Knowledge; watches: Watch[] } {
  const watches: Watch[] = []
  const knowledge = {
    tools: () => [],
    files: async () => [],
    close: async () => {},
    sync: (): Promise<SyncReport> => Promise.reject(error),
    watch: (options: Watch) => void watches.push(options),
  }
  return { knowledge, watches }
}

describe('a sync that fails', () => {
  it.each([new AgentKitError('provider-error', 'query down'), new TypeError('query down'), 'query down'])(
    'is printed, and rejects nothing: %s',
    async (error) => {
      const { knowledge, watches } = failing(error)
      await keepSynced(knowledge, quiet)
      expect(folder.printed).toEqual(['agentkit: the files could not be synced: query down'])
      expect(watches).toHaveLength(1)
    },
  )

  it('does not prevent watching, which prints the same failure once only', async () => {
    const { knowledge, watches } = failing(new Error('query down'))
    await keepSynced(knowledge, quiet)
    expect(watches).toHaveLength(1)
    watches[0]?.onError(new Error('query down'))
    expect(folder.printed).toHaveLength(1)
    watches[0]?.onSync({}, [])
    watches[0]?.onError(new Error('query down'))
    expect(folder.printed).toHaveLength(2)
  })

  it('is printed in one line without control characters', async () => {
    await keepSynced(failing(new Error('a\u001b[31m.md\r\n is broken')).knowledge, quiet)
    expect(folder.printed).toEqual(['agentkit: the files could not be synced: a\\u001b[31m.md\\u000d\\u000a is broken'])
  })

  it('because the agent was closed is not printed', async () => {
    const { knowledge, watches } = failing(new AgentKitError('aborted', 'The retriever was closed.'))
    await keepSynced(knowledge, quiet)
    expect(folder.printed).toEqual([])
    expect(watches).toEqual([])
  })
})

it('prints that knowledge cannot be loaded for watching', async () => {
  const { knowledge } = failing(new Error('not found'))
  await keepSynced(Object.assign(knowledge, { load: () => Promise.reject(new Error('no such model')) }), quiet)
  expect(folder.printed).toEqual([expect.stringContaining('not found'), expect.stringContaining('no such model')])
})

it('ends the watch with its signal', async () => {
  const { knowledge, watches } = failing(new Error('not found'))
  const stop = new AbortController()
  await keepSynced(knowledge, { quiet: true, signal: stop.signal })
  expect(watches[0]?.signal.aborted).toBe(false)
  stop.abort()
  expect(watches[0]?.signal.aborted).toBe(true)
  await keepSynced(knowledge, { quiet: true, signal: stop.signal })
  expect(watches).toHaveLength(1)
})
