import { AsyncLocalStorage } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { Knowledge, SyncReport } from '../contracts/knowledge.ts'
import type { Tool } from '../contracts/tool.ts'
import type { Citation } from '../data/citation.ts'
import { AgentKitError } from '../data/errors.ts'
import { tool } from '../tools/define-tool.ts'
import { knowledgeTools } from '../tools/knowledge-tools.ts'

const report: SyncReport = {
  indexed: 1,
  unchanged: 0,
  removed: 0,
  pending: 0,
  chunks: 1,
  skipped: [],
  warnings: [],
  mode: 'text',
}
const passage: Citation = {
  file: 'a.md',
  start: 0,
  end: 5,
  quote: 'Hello',
  chunkId: 'c1',
  score: { fused: 1 },
}

function lookUp(description = 'Looks things up.'): Tool {
  return tool({
    name: 'look_up',
    description,
    input: { type: 'object', properties: {} },
    execute(_, { cite }) {
      cite([passage])
      return 'Hello'
    },
  })
}

/** Knowledge that counts its syncs. */
function fakeKnowledge(parts: Partial<Knowledge> = {}): Knowledge & { syncs: number } {
  const tools = [lookUp()]
  const knowledge = {
    syncs: 0,
    tools: () => tools,
    async sync() {
      knowledge.syncs++
      return parts.sync ? parts.sync() : report
    },
    files: async () => ['a.md'],
    close: async () => {},
    ...(parts.tools && { tools: parts.tools }),
    ...(parts.files && { files: parts.files }),
  }
  return knowledge
}

afterEach(() => {
  vi.useRealTimers()
})

const call = { toolCalls: [{ name: 'look_up', input: {} }] }

describe('an agent with knowledge', () => {
  it('offers its tools beside the functions, and emits their citations', async () => {
    const other = tool({ name: 'other', description: 'Other.', input: { type: 'object' }, execute: () => 1 })
    const model = scriptedModel([call, { text: 'Hello it says.' }])
    const agent = new Agent({ name: 'Docs', functions: [other], model, knowledge: fakeKnowledge() })
    const { text, sources } = await agent.stream('What does it say?').result
    expect(text).toBe('Hello it says.')
    expect(sources).toEqual([passage])
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['other', 'look_up'])
  })

  it('emits a passage once that it has found twice', async () => {
    const model = scriptedModel([call, call, { text: 'Done.' }])
    const agent = new Agent({ name: 'Docs', functions: [], model, knowledge: fakeKnowledge() })
    const run = agent.stream('Look twice.')
    const emitted: string[] = []
    for await (const event of run) if (event.type === 'source') emitted.push(event.source.chunkId)
    expect(emitted).toEqual(['c1'])
    expect((await run.result).sources).toHaveLength(1)
  })

  it('syncs once before its first answer, however many ask at once', async () => {
    const knowledge = fakeKnowledge()
    const model = scriptedModel([{ text: '1' }, { text: '2' }, { text: '3' }])
    const agent = new Agent({ name: 'Docs', functions: [], model, knowledge })
    await Promise.all([agent.chat('a'), agent.chat('b')])
    await agent.chat('c')
    expect(knowledge.syncs).toBe(1)
  })

  it('continues with the earlier index when a sync fails, with a warning', async () => {
    const failing = async () => {
      throw new AgentKitError('network', 'The embedder is away.')
    }
    const knowledge = fakeKnowledge({ sync: failing })
    const agent = new Agent({ name: 'Docs', functions: [], model: scriptedModel([{ text: 'Yes.' }]), knowledge })
    const { text, warnings } = await agent.stream('There?').result
    expect(text).toBe('Yes.')
    expect(warnings).toEqual([expect.stringContaining('The embedder is away.')])
  })

  it('fails with the sync where nothing was indexed before, and tries again at the next run', async () => {
    let tries = 0
    const knowledge = fakeKnowledge({
      files: async () => [],
      async sync() {
        if (++tries === 1) throw new AgentKitError('network', 'The embedder is away.')
        return report
      },
    })
    const agent = new Agent({ name: 'Docs', functions: [], model: scriptedModel([{ text: 'Yes.' }]), knowledge })
    await expect(agent.chat('There?')).rejects.toMatchObject({ code: 'network', message: 'The embedder is away.' })
    expect(await agent.chat('There?')).toBe('Yes.')
  })

  it('does not keep a run that is aborted waiting for the sync, which continues for the others', async () => {
    const { promise, resolve } = Promise.withResolvers<SyncReport>()
    const knowledge = fakeKnowledge({ sync: () => promise })
    const agent = new Agent({ name: 'Docs', functions: [], model: scriptedModel([{ text: 'Yes.' }]), knowledge })
    const aborted = agent.stream('There?', { signal: AbortSignal.abort() }).result
    const controller = new AbortController()
    const left = agent.stream('There?', { signal: controller.signal }).result
    const waiting = agent.chat('There?')
    controller.abort()
    expect((await aborted).finishReason).toBe('aborted')
    expect((await left).finishReason).toBe('aborted')
    resolve(report)
    expect(await waiting).toBe('Yes.')
    expect(knowledge.syncs).toBe(1)
  })

  it('waits a limited time for the first sync, answers from the files indexed so far, and lets the sync continue', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = Promise.withResolvers<SyncReport>()
    const looked: string[] = []
    const knowledge: Knowledge = {
      ...fakeKnowledge({
        files: async () => {
          looked.push('files')
          return []
        },
      }),
      firstAnswerSeconds: 5,
      sync(options) {
        looked.push('sync')
        options?.onProgress?.({ files: 9, filesDone: 2, bytes: 9, bytesDone: 2, chunks: 4, elapsedMs: 1 })
        return promise
      },
    }
    const model = scriptedModel([{ text: '1' }, { text: '2' }, { text: '3' }])
    const agent = new Agent({ name: 'Docs', functions: [], model, knowledge })
    const first = agent.stream('a').result
    await vi.advanceTimersByTimeAsync(4_999)
    expect(model.requests).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    const pending = expect.stringMatching(/^7 files are pending, of 9 that the sync reads: .*the sync continues\.$/)
    expect(await first).toMatchObject({ text: '1', warnings: [pending] })
    // Its five seconds are over for the next ones too.
    expect(await agent.stream('b').result).toMatchObject({ text: '2', warnings: [pending] })
    resolve(report)
    expect(await agent.stream('c').result).toMatchObject({ text: '3', warnings: [] })
    expect(looked).toEqual(['sync', 'files', 'files'])
  })

  it('reports at the next run that a sync failed for which the first one did not wait', async () => {
    vi.useFakeTimers()
    const { promise, reject } = Promise.withResolvers<SyncReport>()
    const knowledge = { ...fakeKnowledge({ sync: () => promise }), firstAnswerSeconds: 5 }
    const model = scriptedModel([{ text: '1' }, { text: '2' }])
    const agent = new Agent({ name: 'Docs', functions: [], model, knowledge })
    const first = agent.stream('a').result
    await vi.advanceTimersByTimeAsync(5_000)
    expect((await first).warnings).toEqual([expect.stringContaining('not yet found out how many files are pending')])
    reject(new AgentKitError('network', 'The embedder is away.'))
    expect((await agent.stream('b').result).warnings).toEqual([expect.stringContaining('The embedder is away.')])
  })

  it('offers the model the tools that a later sync has added', async () => {
    let tools = [lookUp('There is one file.')]
    const model = scriptedModel([{ text: '1' }, { text: '2' }])
    const agent = new Agent({ name: 'Docs', functions: [], model, knowledge: fakeKnowledge({ tools: () => tools }) })
    await agent.chat('a')
    tools = [lookUp('There are two files.')]
    await agent.chat('b')
    expect(model.requests.map((request) => request.tools?.[0]?.description)).toEqual([
      'There is one file.',
      'There are two files.',
    ])
  })

  it('refuses a function of the same name as one of its tools', async () => {
    const agent = new Agent({
      name: 'Docs',
      functions: [lookUp()],
      model: scriptedModel([{ text: '1' }]),
      knowledge: fakeKnowledge(),
    })
    await expect(agent.chat('a')).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('Rename the function'),
    })
  })

  it('is shown as `knowledge`; any other value is refused', () => {
    const knowledge = fakeKnowledge()
    const model = scriptedModel([])
    expect(new Agent({ name: 'Docs', functions: [], model, knowledge }).knowledge).toBe(knowledge)
    const wrong = { name: 'Docs', functions: [], model, knowledge: {} as Knowledge } // what JavaScript may pass
    expect(() => new Agent(wrong)).toThrow('createRetriever')
  })
})

it('keeps no run that has ended once its knowledge is synced', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const knowledge: Knowledge = {
    tools: () => [],
    sync: async () => ({
      indexed: 0,
      unchanged: 0,
      removed: 0,
      pending: 0,
      chunks: 0,
      skipped: [],
      warnings: [],
      mode: 'text',
    }),
    files: async () => [],
    close: async () => {},
  }
  const toolsOf = knowledgeTools(new Map(), knowledge)
  const context = new AsyncLocalStorage<object>()
  const ended: WeakRef<object>[] = []
  const runOnce = async (): Promise<void> => {
    const run = { of: 'a run' }
    ended.push(new WeakRef(run))
    await context.run(run, () => toolsOf({ runId: 'run', userId: 'ada', signal: new AbortController().signal }))
  }
  for (let run = 0; run < 5; run++) await runOnce()
  for (let turns = 0; turns < 50 && ended.some((run) => run.deref()); turns++) {
    await new Promise(setImmediate)
    collect()
  }
  // The last one may still be held by the stack.
  expect(ended.filter((run) => run.deref()).length).toBeLessThanOrEqual(1)
})

it('is synced again for a run while earlier ones fail', async () => {
  const syncs = [Promise.withResolvers<SyncReport>(), Promise.withResolvers<SyncReport>()]
  const looks: PromiseWithResolvers<string[]>[] = []
  const knowledge: Knowledge = {
    ...fakeKnowledge(),
    // Of the first sync.
    get firstAnswerSeconds() {
      return syncs.length === 1 ? 0.005 : 60
    },
    sync: () => (syncs.shift() ?? Promise.withResolvers<SyncReport>()).promise,
    files: () => looks[looks.push(Promise.withResolvers<string[]>()) - 1]?.promise ?? Promise.reject(),
  }
  const second = syncs[1]
  const toolsOf = knowledgeTools(new Map(), knowledge)
  const begin = () => toolsOf({ runId: 'run', userId: 'ada', signal: new AbortController().signal })
  const failing = [begin(), begin()]
  await vi.waitFor(() => expect(looks).toHaveLength(2))
  looks[0]?.reject(new Error('The disk is away.'))
  await vi.waitFor(() => expect(looks).toHaveLength(3))
  const run = begin()
  looks[1]?.reject(new Error('The disk is away.'))
  await vi.waitFor(() => expect(looks).toHaveLength(4))
  second?.resolve(report)
  expect((await run).warnings).toEqual([])
  for (const look of looks) look.resolve(['a.md'])
  for (const { warnings } of await Promise.all(failing))
    expect(warnings).toEqual([expect.stringMatching(/disk is away/)])
})
