import { setTimeout as sleep } from 'node:timers/promises'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { type MemoryDisk, memoryDisk } from '../__fixtures__/memory-runs.ts'
import { mortalProcess } from '../__fixtures__/mortal-process.ts'
import { calls, sessionKey } from '../__fixtures__/payer.ts'
import {
  Agent,
  type AgentOptions,
  type Hooks,
  type Model,
  type RunOptions,
  type SessionStore,
  tool,
  validateTranscript,
  workflow,
} from '../index.ts'
import { handBackRuns } from '../sessions/live-runs.ts'

const inSession: RunOptions = { userId: 'ann', sessionId: 's', resumable: true }

describe('a resumable run whose process dies', () => {
  it.each(everyWrite())('at write %i (effect: %s) repeats no finished step', async (number, hasEffect) => {
    const world = worldOf([calls('look 1', 'look 2'), calls('count 3'), 'Done.'])
    const { runId } = await crash(world, { number, hasEffect })
    if (runId === undefined) return
    const record = await world.continueUntilSettled(runId)
    expect(record).toMatchObject({ status: 'done', text: 'Done.', usage: { totalTokens: 45 } })
    expect(world.effects.filter((effect) => effect === 'count 3').length).toBeLessThanOrEqual(1)
    // A model call is repeated only when its reply was not stored.
    expect(world.modelCalls()).toBeLessThanOrEqual(4)
    const messages = (await world.disk.open().store.load(sessionKey))?.messages ?? []
    expect(messages).toHaveLength(7)
    expect(validateTranscript(messages)).toEqual([])
  })

  it('continues with the next model call when its last step was finished', async () => {
    const world = worldOf([calls('look 1'), 'Done.'])
    // create, reply with intent, result
    const { runId } = await crash(world, { number: 3, hasEffect: true })
    expect(await world.continueUntilSettled(runId as string)).toMatchObject({ status: 'done', attempts: 2 })
    expect(world.effects).toEqual(['look 1'])
    expect(world.modelCalls()).toBe(2)
  })

  it('ends with its stored answer, without another model call', async () => {
    const world = worldOf(['Done.'])
    const { store, kill } = world.disk.open()
    const { promise: died, resolve: die } = Promise.withResolvers<void>()
    // Where events are due before the end of the run, the answer is stored with them.
    const end: typeof store.runs.end = async (runId, { attempt = 1, position = 1, messages = [], progress = null }) => {
      await store.runs.append(runId, { attempt, position, messages, progress })
      kill()
      die()
      return new Promise(() => {})
    }
    const { runId, result } = world.agentOf({ ...store, runs: { ...store.runs, end } }).stream('Count.', inSession)
    await Promise.race([died, result])
    expect(await world.continueUntilSettled(runId)).toMatchObject({ status: 'done', text: 'Done.' })
    expect(world.modelCalls()).toBe(1)
  })

  it('runs a call again that is idempotent, with the same key', async () => {
    const world = worldOf([calls('look 1'), 'Done.'])
    const { runId } = await crash(world, { number: 3, hasEffect: false })
    expect(await world.continueUntilSettled(runId as string)).toMatchObject({ status: 'done' })
    expect(world.effects).toEqual(['look 1', 'look 1'])
    expect(new Set(world.keys).size).toBe(1)
  })

  it('runs a call that had not begun', async () => {
    // The reply is stored while the hook works.
    const beforeTool = async (): Promise<void> => void (await sleep(5))
    const world = worldOf([calls('count 1'), 'Done.'], { hooks: { beforeTool } })
    const { runId } = await crash(world, { number: 3, hasEffect: false })
    expect(await world.continueUntilSettled(runId as string)).toMatchObject({ status: 'done' })
    expect(world.effects).toEqual(['count 1'])
    expect(world.modelCalls()).toBe(2)
  })

  it.each([
    [true as const, ['count 1', 'count 1'], 'counted'],
    [{ deny: 'Ask Bob.' }, ['count 1'], expect.stringMatching(/outcome.*unknown.*Ask Bob\./)],
    [{ result: { total: 7 } }, ['count 1'], '{"total":7}'],
  ])('asks about a call of unknown outcome: %j', async (decision, effects, content) => {
    const world = worldOf([calls('count 1'), 'Done.'])
    const { runId } = (await crash(world, { number: 3, hasEffect: false })) as { runId: string }
    const before = Date.now()
    const [asked] = await world.continueOnce(runId)
    expect(asked).toMatchObject({ kind: 'unknown-outcome', name: 'count', input: { amount: 1 } })
    expect(Date.parse(asked?.startedAt ?? '')).toBeLessThanOrEqual(before + 10)
    await world.disk.open().store.runs.decide(runId, { [asked?.approvalId ?? '']: decision })
    expect(await world.continueUntilSettled(runId)).toMatchObject({ status: 'done' })
    expect(world.effects).toEqual(effects)
    const messages = (await world.disk.open().store.load(sessionKey))?.messages ?? []
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ content })
  })

  it.each(everyWrite())(
    'runs no tool that the step did not offer, at write %i (effect: %s)',
    async (number, hasEffect) => {
      const beforeModel: Hooks['beforeModel'] = ({ tools = [], ...request }) => {
        return { ...request, tools: tools.filter(({ name }) => name !== 'count') }
      }
      const world = worldOf([calls('look 1', 'count 2'), 'Done.'], { hooks: { beforeModel } })
      const { runId } = await crash(world, { number, hasEffect })
      if (runId === undefined) return
      expect(await world.continueUntilSettled(runId)).toMatchObject({ status: 'done', text: 'Done.' })
      expect(world.effects).not.toContain('count 2')
    },
  )

  it.each(everyWrite())('refuses an answer beside other calls, at write %i (effect: %s)', async (number, hasEffect) => {
    const final = { name: 'final_answer', callId: 'final', input: { n: 1 } }
    const looks = calls(...Array.from({ length: 8 }, (_, index) => `look ${index}`)).toolCalls
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const world = worldOf([{ toolCalls: [...looks, final] }, { toolCalls: [final] }], { output })
    const { runId } = await crash(world, { number, hasEffect })
    if (runId === undefined) return
    expect(await world.continueUntilSettled(runId)).toMatchObject({ status: 'done', text: '{"n":1}' })
    const { store } = world.disk.open()
    const { messages = [] } = (await store.load(sessionKey)) ?? {}
    const refused = messages.find((message) => message.role === 'tool' && message.callId === 'final')
    expect(refused?.content).toContain('it came beside other calls')
    const events = await store.runs.events(runId, 0, 100)
    expect(events.flatMap((event) => ('name' in event ? [event.name] : []))).not.toContain('final_answer')
  })

  it.each(everyWrite())('counts each call once by its budget, at write %i (effect: %s)', async (number, hasEffect) => {
    const world = worldOf([calls('look 1', 'look 2'), 'Done.'], { budget: { toolCalls: 2 } })
    const { runId } = await crash(world, { number, hasEffect })
    if (runId === undefined) return
    expect(await world.continueUntilSettled(runId)).toMatchObject({
      status: 'done',
      finishReason: 'stop',
      text: 'Done.',
    })
  })

  it.each(everyWrite())('emits each source once, at write %i (effect: %s)', async (number, hasEffect) => {
    const cited = (chunkId: string) => ({ file: 'a.md', start: 0, end: 1, quote: 'a', chunkId, score: { fused: 1 } })
    const input = { type: 'object', properties: { n: { type: 'number' } } } as const
    const cite = tool({
      ...{ name: 'cite', description: 'Cites.', input, idempotent: true },
      execute({ n }, context) {
        context.cite([cited('k'), cited(`k${n}`)])
        return 'Cited.'
      },
    })
    const citing = (...numbers: number[]) => ({ toolCalls: numbers.map((n) => ({ name: 'cite', input: { n } })) })
    const world = worldOf([citing(1), citing(2, 3), 'Done.'], { functions: [cite] })
    const { runId } = await crash(world, { number, hasEffect })
    if (runId === undefined) return
    const record = await world.continueUntilSettled(runId)
    expect(record?.sources.map(({ chunkId }) => chunkId).toSorted()).toEqual(['k', 'k1', 'k2', 'k3'])
    const events = await world.disk.open().store.runs.events(runId, 0, 100)
    const emitted = events.flatMap((event) => (event.type === 'source' ? [event.source.chunkId] : []))
    expect(emitted.toSorted()).toEqual(['k', 'k1', 'k2', 'k3'])
  })

  it.each(everyWrite())('reads on in a long result again, at write %i (effect: %s)', async (number, hasEffect) => {
    const disk = memoryDisk()
    const turns: ScriptedTurn[] = [
      { toolCalls: [{ name: 'look' }] },
      { toolCalls: [{ name: 'read_tool_result', callId: 'read', input: { call_id: 'call_1', offset: 9_000 } }] },
      'Done.',
    ]
    const agentOf = (sessions: SessionStore): Agent => {
      const info = { contextWindow: 8_000, maxOutputTokens: 500 }
      const stream: Model['stream'] = (request, signal) => {
        const step = request.messages.filter(({ role }) => role === 'assistant').length
        return scriptedModel([turns[step] ?? 'Nothing.']).stream(request, signal)
      }
      const execute = (): string => Array.from({ length: 4_000 }, (_, word) => `word ${word}`).join(' ')
      const look = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, idempotent: true, execute })
      return new Agent({ name: 'Payer', functions: [look], model: { id: 'test/small', info, stream }, sessions })
    }
    const process = mortalProcess(disk, { number, hasEffect })
    const run = agentOf(process.store).stream('Read.', inSession)
    await Promise.race([process.died, run.result])
    const { store } = disk.open()
    const { record } = (await store.runs.read(run.runId)) ?? {}
    if (record?.status !== 'running') return
    expect(await agentOf(store).continueRun(run.runId).result).toMatchObject({ text: 'Done.', approvals: [] })
    const { messages = [] } = (await store.load(sessionKey)) ?? {}
    const read = messages.find((message) => message.role === 'tool' && message.callId === 'read')
    expect(read?.content).toContain('word')
  })

  it('keeps its budget and its deadline', async () => {
    const world = worldOf([calls('look 1'), calls('look 2'), 'Done.'], { timeoutMs: 60_000 })
    const options = { ...inSession, budget: { modelCalls: 2 } }
    const { runId } = (await crash(world, { number: 3, hasEffect: true }, options)) as { runId: string }
    const stored = await world.disk.open().store.runs.read(runId)
    expect(stored?.deadline).toBeGreaterThan(Date.now())
    expect(await world.continueUntilSettled(runId)).toMatchObject({ status: 'done', finishReason: 'budget' })
    expect(world.modelCalls()).toBe(2)
  })

  it('counts a model call in which its process died by its budget, and each once', async () => {
    const disk = memoryDisk()
    const options = { ...inSession, budget: { modelCalls: 5 } }
    const input = { type: 'object', properties: { amount: { type: 'number' } } }
    const look = tool({ name: 'look', description: 'Looks.', input, execute: () => 'seen' })
    const agentOf = (model: Model, sessions: SessionStore): Agent =>
      new Agent({ name: 'Payer', functions: [look], model, sessions })
    let runId = ''
    let beginnings = 1
    /** Makes the run wait for a model, and leaves it once the events of that call are stored. */
    const intoCall = async (
      turns: readonly ScriptedTurn[],
      leave: (store: SessionStore, kill: () => void) => unknown,
    ): Promise<void> => {
      const { store, kill } = disk.open()
      const { id, stream } = scriptedModel([...turns])
      let left = turns.length
      const agent = agentOf(
        {
          id,
          async *stream(request, signal) {
            if (left-- === 0) await new Promise(() => {})
            yield* stream(request, signal)
          },
        },
        store,
      )
      const run = runId === '' ? agent.stream('Count.', options) : agent.continueRun(runId)
      runId ||= run.runId
      void run.result
      beginnings += turns.length
      const stored = async (): Promise<number> => {
        const events = await disk.open().store.runs.events(runId, 0, 100)
        return events.filter(({ type }) => type === 'step-start' || type === 'step-restart').length
      }
      await expect.poll(stored).toBe(beginnings)
      beginnings++
      await leave(store, kill)
    }
    await intoCall([calls('look 1')], (_, kill) => kill())
    // What a process has counted that hands its run back is not counted again.
    await intoCall([], (store) => handBackRuns(store, 10))
    await intoCall([], (_, kill) => kill())
    const model = scriptedModel([calls('look 2'), 'Never.'])
    const result = await agentOf(model, disk.open().store).continueRun(runId).result
    expect(result).toMatchObject({ finishReason: 'budget', steps: 2 })
    expect(result.warnings).toEqual([expect.stringContaining('5 of 5 model calls were made')])
    expect(model.requests).toHaveLength(1)
  })

  it('withdraws the text of a step of which no event was stored', async () => {
    const world = worldOf(['Done.'])
    const { store, kill } = world.disk.open()
    // The store is slow: what the reader receives is not stored when the process dies.
    const append: typeof store.runs.append = () => new Promise(() => {})
    const run = world.agentOf({ ...store, runs: { ...store.runs, append } }).stream('Count.', inSession)
    const events = run[Symbol.asyncIterator]()
    let seen = (await events.next()).value
    while (seen?.type !== 'text-delta') seen = (await events.next()).value
    kill()
    await world.continueUntilSettled(run.runId)
    const later = await world.disk.open().store.runs.events(run.runId, seen.seq, 100)
    expect(later.map(({ type }) => type).slice(0, 3)).toEqual(['run-start', 'step-restart', 'step-start'])
    expect(later[1]).toMatchObject({ step: 1, error: { code: 'crashed' } })
  })

  it('fails when its time is up meanwhile', async () => {
    const world = worldOf([calls('look 1'), 'Done.'])
    const options = { ...inSession, timeoutMs: 200 }
    const { runId } = (await crash(world, { number: 3, hasEffect: true }, options)) as { runId: string }
    const { deadline = 0 } = (await world.disk.open().store.runs.read(runId)) ?? {}
    await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(deadline)
    const record = await world.continueUntilSettled(runId)
    expect(record).toMatchObject({ status: 'failed', error: { code: 'timeout' } })
    expect(world.modelCalls()).toBe(1)
  })
})

it.each([
  ['it begins, and it ends with its answer', 2, []],
  [
    'and two for a step with tools: a reply with the beginning of its calls, and their results',
    4,
    [calls('look 1', 'count 2')],
  ],
])('stores a run by few writes: %s', async (_, count, turns) => {
  const world = worldOf([...turns, 'Done.'])
  const process = mortalProcess(world.disk)
  await world.agentOf(process.store).chat('Count.', { userId: 'ann', sessionId: 's' })
  expect(process.writes).toBe(count)
})

it('fails a run that is not resumable, and keeps its finished calls', async () => {
  const world = worldOf([calls('look 1'), 'Done.'])
  const { runId } = await crash(world, { number: 3, hasEffect: true }, { userId: 'ann', sessionId: 's' })
  const { store } = world.disk.open()
  const session = await store.load(sessionKey)
  expect(await store.find(runId as string)).toMatchObject({ status: 'failed' })
  expect(session?.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: '[stopped: interrupted]' }] })
})

it('fails a workflow, whose steps are not stored, and keeps its events', async () => {
  const disk = memoryDisk()
  const process = mortalProcess(disk, { number: 2, hasEffect: false })
  const sessions = process.store
  const run = workflow({ name: 'Steps', sessions })
    .step(() => 'one')
    .asAgent()
    .stream('Go.', inSession)
  await Promise.race([process.died, run.result])
  const { store } = disk.open()
  const { key, keepsEvents } = (await store.runs.read(run.runId)) ?? {}
  expect([key?.agentId, keepsEvents]).toEqual(['steps', true])
  await store.load({ agentId: 'steps', userId: 'ann', sessionId: 's' })
  expect((await store.runs.read(run.runId))?.record).toMatchObject({ status: 'failed', error: { code: 'crashed' } })
})

type World = ReturnType<typeof worldOf>

/** An agent whose processes share a disk and what its tools do. */
function worldOf(turns: readonly ScriptedTurn[], more: Partial<AgentOptions> = {}) {
  const disk: MemoryDisk = memoryDisk()
  const effects: string[] = []
  const keys: string[] = []
  let answered = 0
  const agentOf = (store: SessionStore): Agent => {
    const input = { type: 'object', properties: { amount: { type: 'number' } } }
    const model = scriptedModel([])
    const script = {
      ...model,
      stream: (...[request, signal]: Parameters<typeof model.stream>) => {
        answered++
        // The script continues at the step that the conversation has reached.
        const step = request.messages.filter(({ role }) => role === 'assistant').length
        return scriptedModel([turns[step] ?? 'Nothing.']).stream(request, signal)
      },
    }
    const functions = (['look', 'count'] as const).map((name) =>
      tool({
        ...{ name, description: name, input, idempotent: name === 'look' },
        execute({ amount }, { idempotencyKey }) {
          effects.push(`${name} ${amount}`)
          keys.push(idempotencyKey)
          return name === 'look' ? 'seen' : 'counted'
        },
      }),
    )
    return new Agent({ name: 'Payer', functions, model: script, sessions: store, ...more })
  }
  const continueOnce = async (runId: string) => {
    const { approvals } = await agentOf(disk.open().store).continueRun(runId).result
    return approvals
  }
  return {
    ...{ disk, effects, keys, agentOf, continueOnce },
    modelCalls: () => answered,
    /** Continues it in new processes; what it asks about is given as `7`. */
    async continueUntilSettled(runId: string) {
      for (let times = 0; times < 5; times++) {
        const { store } = disk.open()
        const { record } = (await store.runs.read(runId)) ?? {}
        if (record?.status === 'done' || record?.status === 'failed') return record
        const approvals = await continueOnce(runId)
        for (const { approvalId } of approvals) await store.runs.decide(runId, { [approvalId]: { result: 7 } })
      }
      return (await disk.open().store.runs.read(runId))?.record
    },
  }
}

/** Runs the agent in a process that dies. @returns the run, if it was stored */
async function crash(
  { disk, agentOf }: World,
  write: { number: number; hasEffect: boolean },
  options: RunOptions = inSession,
): Promise<{ runId: string | undefined }> {
  const process = mortalProcess(disk, write)
  const run = agentOf(process.store).stream('Count.', options)
  await Promise.race([process.died, run.result])
  return { runId: (await disk.open().store.runs.read(run.runId))?.record.runId }
}

function everyWrite(): [number, boolean][] {
  return Array.from({ length: 9 }, (_, index) => [index + 1, false] as [number, boolean]).flatMap(([number]) => [
    [number, false],
    [number, true],
  ])
}
