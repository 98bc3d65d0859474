import { afterEach, describe, expect, it } from 'vitest'
import { type Clerk, type ClerkProcess, clerk } from '../../__fixtures__/clerk.ts'
import { mortalProcess } from '../../__fixtures__/mortal-process.ts'
import { calls, eventLines } from '../../__fixtures__/payer.ts'
import {
  type AgentEvent,
  type AgentKitError,
  type EnqueueOptions,
  validateTranscript,
  type Worker,
} from '../../index.ts'

const workers: Worker[] = []
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()))
})

const inSession: EnqueueOptions = { userId: 'ann', sessionId: 's' }
const sessionKey = { agentId: 'clerk', userId: 'ann', sessionId: 's' }

describe('a background run', () => {
  it('is begun by a worker of another process, and its result is read in a third one', async () => {
    const office = clerk([calls('look 1'), 'Done.'])
    const { runId } = await office.open().agent.enqueue('Look.', inSession)
    expect(await office.open().agent.runs()).toMatchObject([{ runId, status: 'queued', attempts: 0 }])
    await work(office.open())
    const result = await office.open().agent.result(runId)
    expect(result).toMatchObject({ runId, text: 'Done.', finishReason: 'stop', steps: 2, warnings: [] })
    expect(result.messages).toHaveLength(4)
    expect(office.done).toEqual(['look 1'])
    await expect.poll(() => office.disk.jobs).toEqual([])
  })

  it('is followed from before it begins to its end: each event once, numbered from 1', async () => {
    const office = clerk([calls('look 1'), 'Done.'])
    const { runId } = await office.open().agent.enqueue('Look.', inSession)
    const followed = eventsOf(office, runId)
    await work(office.open())
    const events = await followed
    expect(linesOf(events)).toEqual([
      'run-start',
      ...['step-start 1', 'tool-call look1', 'tool-result look1', 'step-end 1'],
      ...['step-start 2', 'text-delta', 'step-end 2', 'run-end stop'],
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const [third] = await eventsOf(office, runId, 2)
    expect(third).toEqual(events[2])
  })

  it('sees the conversation before it, fills an empty one, and keeps the history of a run without a session', async () => {
    const office = clerk((question) => [`To ${question}`])
    const { agent, store } = office.open()
    const history = [
      { role: 'user' as const, content: 'Before?' },
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Yes.' }] },
    ]
    const seeded = await agent.enqueue('One', { ...inSession, history })
    const alone = await agent.enqueue('Alone', { userId: 'ann', history })
    const next = await agent.enqueue('Two', { ...inSession, history })
    await work(office.open())
    expect((await agent.result(next.runId)).messages).toHaveLength(2)
    expect((await agent.result(seeded.runId)).messages).toHaveLength(2)
    expect((await agent.result(alone.runId)).messages).toHaveLength(2)
    const messages = (await store.load(sessionKey))?.messages ?? []
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
  })

  it('runs one at a time in its session, in the order of acceptance, for any priorities', async () => {
    let running = 0
    let most = 0
    const office = clerk((question) => [calls(`look ${question}`), 'Done.'], {
      async look() {
        most = Math.max(most, ++running)
        await new Promise((resolve) => setTimeout(resolve, 1))
        running--
      },
    })
    const { agent } = office.open()
    const items = Array.from({ length: 5 }, (_, index) => ({ ...inSession, input: `${index}`, priority: index }))
    const accepted = await agent.enqueueMany(items)
    await Promise.all([work(office.open()), work(office.open())])
    await Promise.all(accepted.map(({ runId }) => agent.result(runId)))
    expect(office.done).toEqual(items.map(({ input }) => `look ${input}`))
    expect(most).toBe(1)
  })

  it('waits for approval without a job, and continues when another process decides', async () => {
    const office = clerk([calls('pay 1'), 'Paid.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Pay.', inSession)
    const followed = eventsOf(office, runId)
    await work(office.open())
    const { approvals, finishReason } = await agent.result(runId)
    expect([finishReason, approvals.length]).toEqual(['approval', 1])
    await expect.poll(() => office.disk.jobs).toEqual([])
    await office.open().agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await agent.result(runId)).toMatchObject({ text: 'Paid.', finishReason: 'stop' })
    expect(office.done).toEqual(['pay 1'])
    expect(linesOf(await followed).filter((line) => line.startsWith('run-'))).toEqual([
      ...['run-start', 'run-end approval', 'run-start', 'run-end stop'],
    ])
  })

  it('is resumed in the process of the caller', async () => {
    const office = clerk([calls('pay 1'), 'Paid.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Pay.', inSession)
    await work(office.open())
    const { approvals } = await agent.result(runId)
    const decision = { [approvals[0]?.approvalId ?? '']: true as const }
    expect(await agent.resume(runId, decision).result).toMatchObject({ text: 'Paid.', runId })
    expect(office.done).toEqual(['pay 1'])
  })

  it('is cancelled before it begins: it calls no model, and who follows it sees its end', async () => {
    const office = clerk(['Done.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.', inSession)
    const followed = eventsOf(office, runId)
    expect(await agent.cancel(runId, { userId: 'ann' })).toBe(true)
    expect(await agent.cancel(runId)).toBe(false)
    expect(linesOf(await followed)).toEqual(['run-end aborted'])
    await work(office.open())
    await expect.poll(() => office.disk.jobs).toEqual([])
    const error = { code: 'aborted', message: 'The run was cancelled.' }
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'aborted', error, steps: 0, messages: [] })
    expect(office.modelCalls()).toBe(0)
  })

  it('ends with the answer of its input hook, and stores the input that the hook returns', async () => {
    const office = clerk((question) => [`To ${question}`], {
      hooks: {
        input: ({ content }) => (content === 'No' ? { block: 'Not this.' } : { v: 1, role: 'user', content: 'Yes' }),
      },
    })
    const { agent, store } = office.open()
    const blocked = await agent.enqueue('No', inSession)
    const changed = await agent.enqueue('Maybe', inSession)
    await work(office.open())
    const text = 'Not this.'
    expect(await agent.result(blocked.runId)).toMatchObject({ text, finishReason: 'content-filter', messages: [] })
    expect((await store.find(blocked.runId))?.messages).toEqual([])
    expect(await agent.result(changed.runId)).toMatchObject({ text: 'To Yes', messages: [{ content: 'Yes' }, {}] })
    expect(office.modelCalls()).toBe(1)
  })

  it('has its deadline from when it begins, not while it is queued', async () => {
    let now = Date.now()
    const office = clerk(['Done.'], { now: () => now, timeoutMs: 60_000 })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Look.', { timeoutMs: 30_000, budget: { seconds: 100 } })
    now += 3_600_000
    await work(office.open())
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'stop' })
    expect((await store.runs.read(runId))?.deadline).toBe(now + 30_000)
  })

  it.each([7_200_000, -7_200_000])(
    'keeps the time that it has left when it waits, where the clock was set by %i ms meanwhile',
    async (setBy) => {
      let now = Date.now()
      const look = (): string => {
        now += setBy
        return 'seen'
      }
      const office = clerk([calls('look 1'), calls('pay 1'), 'Paid.'], { now: () => now, look })
      const { agent, store } = office.open()
      await work({ agent })
      const { runId } = await agent.enqueue('Pay.', { timeoutMs: 3_600_000 })
      const { approvals } = await agent.result(runId)
      const { progress } = (await store.runs.read(runId)) ?? expect.fail()
      const { suspended } = progress as { suspended: { msLeft: number } }
      expect(suspended.msLeft).toBeGreaterThan(1_800_000)
      expect(suspended.msLeft).toBeLessThanOrEqual(3_600_000)
      await agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
      expect(await agent.result(runId)).toMatchObject({ text: 'Paid.', finishReason: 'stop' })
    },
  )

  it('warns when another version of the agent resumes it, naming both', async () => {
    const office = clerk([calls('pay 1'), 'Paid.'], { version: '1' })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Pay.', inSession)
    workers.push(await agent.work())
    const { approvals } = await agent.result(runId)
    await workers.pop()?.close()
    const newer = clerk([calls('pay 1'), 'Paid.'], { version: '2' }).open(store)
    await newer.agent.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    await work(newer)
    const { warnings, text } = await newer.agent.result(runId)
    expect(text).toBe('Paid.')
    expect(warnings).toEqual(['The run was begun by version "1" of the agent, and continued by version "2".'])
  })
})

describe('a background run whose process dies', () => {
  it.each(everyWrite())(
    'at write %i (effect: %s) is continued, and repeats no finished step',
    async (number, hasEffect) => {
      const office = clerk([calls('look 1', 'look 2'), calls('count 3'), 'Done.'])
      const { runId } = await office.open().agent.enqueue('Count.', inSession)
      const dying = mortalProcess(office.disk, { number, hasEffect })
      const { agent } = office.open(dying.store)
      // The process that dies closes nothing.
      await agent.work()
      await Promise.race([dying.died, office.open().agent.result(runId)])
      const { agent: other, store } = office.open()
      await work({ agent: other })
      let result = await other.result(runId)
      const wasAsked = result.approvals.length > 0
      for (const { approvalId } of result.approvals) await other.decide(runId, { [approvalId]: { result: 7 } })
      if (wasAsked) result = await other.result(runId)
      expect(result).toMatchObject({ text: 'Done.', usage: { totalTokens: 45 } })
      expect(office.done.filter((call) => call === 'count 3').length).toBeLessThanOrEqual(1)
      expect(office.modelCalls()).toBeLessThanOrEqual(4)
      const messages = (await store.load(sessionKey))?.messages ?? []
      expect(messages).toHaveLength(7)
      expect(validateTranscript(messages)).toEqual([])
      const events = await eventsOf(office, runId)
      expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length)
      // Each segment begins and ends once, whichever process has it.
      const ends = linesOf(events).filter((line) => line.startsWith('run-'))
      const segments = ['run-start', 'run-end approval', 'run-start', 'run-end stop']
      expect(ends).toEqual(wasAsked ? segments : ['run-start', 'run-end stop'])
    },
  )
})

describe('a run that is decided, and whose process dies before it has stored anything', () => {
  const dead = async (): Promise<{ office: Clerk; runId: string }> => {
    const office = clerk([calls('pay 1'), 'Paid.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Pay.', inSession)
    await office.open().agent.continueRun(runId).result
    const { approvals } = await agent.result(runId)
    await agent.decide(runId, Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true])))
    const first = mortalProcess(office.disk, { number: 1, hasEffect: true })
    void office.open(first.store).agent.continueRun(runId).result
    await first.died
    return { office, runId }
  }

  it('continues without a warning that other runs changed its session', async () => {
    const { office, runId } = await dead()
    await office.open().agent.continueRun(runId).result
    expect(await office.open().agent.result(runId)).toMatchObject({ text: 'Paid.', warnings: [] })
  })

  it('continues before a later run of its session, which waits for it in the same process', async () => {
    const { office, runId } = await dead()
    const { store } = office.open()
    const { promise: refused, resolve: refuse } = Promise.withResolvers<void>()
    const create: typeof store.runs.create = (key, run) =>
      store.runs.create(key, run).catch((error) => {
        refuse()
        throw error
      })
    const { agent } = office.open({ ...store, runs: { ...store.runs, create } })
    const later = agent.stream('Pay.', { ...inSession, resumable: true }).result
    await refused
    expect(await agent.continueRun(runId).result).toMatchObject({ text: 'Paid.' })
    await later
  })
})

describe('a run that is retried', () => {
  const wholeSegment = ['run-start', 'step-start 1', 'text-delta', 'step-end 1', 'run-end stop']

  it('continues under its id from its last finished step, with a new deadline and its earlier spending', async () => {
    let isBroken = true
    const office = clerk([calls('count 1'), 'Done.'], {
      hooks: {
        beforeModel({ messages }) {
          if (isBroken && messages.length > 1) throw new Error('No network.')
        },
      },
    })
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Count.', inSession)
    await work(office.open())
    const failed = await agent.result(runId)
    expect(failed).toMatchObject({ finishReason: 'error', steps: 1 })
    const [before] = [await eventsOf(office, runId)]
    isBroken = false
    await agent.retry(runId, { userId: 'ann' })
    expect((await store.runs.read(runId))?.record.status).not.toBe('failed')
    const result = await agent.result(runId)
    expect(result).toMatchObject({ runId, text: 'Done.', finishReason: 'stop', steps: 2, usage: { totalTokens: 30 } })
    expect(result.warnings).toEqual([])
    expect(office.done).toEqual(['count 1'])
    const events = await eventsOf(office, runId)
    expect(events.slice(0, before.length)).toEqual(before)
    expect(linesOf(events.slice(before.length))).toEqual([
      'run-start',
      'step-start 2',
      'text-delta',
      'step-end 2',
      'run-end stop',
    ])
    const messages = (await store.load(sessionKey))?.messages ?? []
    expect(validateTranscript(messages)).toEqual([])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  })

  it('emits its whole segment where it was cancelled before it began', async () => {
    const office = clerk(['Done.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Count.', inSession)
    await agent.cancel(runId)
    const before = await eventsOf(office, runId)
    expect(linesOf(before)).toEqual(['run-end aborted'])
    await agent.retry(runId)
    await work(office.open())
    await agent.result(runId)
    const events = await eventsOf(office, runId)
    expect(events.slice(0, 1)).toEqual(before)
    expect(linesOf(events.slice(1))).toEqual(wholeSegment)
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((one, other) => one - other))
  })

  it('emits its whole segment where it failed before its question was stored', async () => {
    let isBroken = true
    const office = clerk(['Done.'], {
      hooks: {
        input() {
          if (isBroken) throw new Error('No network.')
        },
      },
    })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Count.', inSession)
    await work(office.open())
    expect(await agent.result(runId)).toMatchObject({ finishReason: 'error' })
    const { length } = await eventsOf(office, runId)
    isBroken = false
    await agent.retry(runId)
    await agent.result(runId)
    expect(linesOf((await eventsOf(office, runId)).slice(length))).toEqual(wholeSegment)
  })

  it('sees the later turns of its session after it failed, and warns that its prompt has changed', async () => {
    let isBroken = true
    const office = clerk((question) => (question === 'Count.' ? [calls('count 1'), 'Done.'] : ['It is sunny.']), {
      hooks: {
        beforeModel({ messages }) {
          if (isBroken && messages.length > 1) throw new Error('No network.')
        },
      },
    })
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Count.', inSession)
    await work(office.open())
    await agent.result(runId)
    isBroken = false
    await agent.chat('How is the weather?', inSession)
    await agent.retry(runId)
    const { text, warnings } = await agent.result(runId)
    expect(text).toBe('Done.')
    expect(warnings).toEqual([expect.stringContaining('other runs changed the session')])
  })

  it('is refused where it is done, waits or runs', async () => {
    const office = clerk((question) => (question === 'Pay.' ? [calls('pay 1')] : ['Done.']))
    const { agent } = office.open()
    const done = await agent.enqueue('Look.')
    const waiting = await agent.enqueue('Pay.')
    const queued = await agent.enqueue('Later.', { startAfter: new Date(Date.now() + 3_600_000) })
    await work(office.open())
    await Promise.all([agent.result(done.runId), agent.result(waiting.runId)])
    for (const { runId } of [done, waiting, queued]) {
      await expect(agent.retry(runId)).rejects.toMatchObject({ code: 'session-conflict' })
    }
  })
})

describe('an id that is not text of 1 to 1,024 bytes', () => {
  it.each(['', 'x'.repeat(1_025), undefined, 3])('is refused by result and follow', async (id) => {
    const { agent } = clerk(['Done.']).open()
    const runId = id as string // what a caller without types passes
    await expect(agent.result(runId)).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(Array.fromAsync(agent.follow(runId))).rejects.toMatchObject({ code: 'invalid-argument' })
  })
})

describe('a run of another user, and one that does not exist', () => {
  it.each([
    ['result', (agent: ClerkProcess['agent'], id: string) => agent.result(id, { userId: 'bob' })],
    ['follow', (agent: ClerkProcess['agent'], id: string) => Array.fromAsync(agent.follow(id, { userId: 'bob' }))],
    ['cancel', (agent: ClerkProcess['agent'], id: string) => agent.cancel(id, { userId: 'bob' })],
    ['retry', (agent: ClerkProcess['agent'], id: string) => agent.retry(id, { userId: 'bob' })],
  ])('are refused by %s in the same words', async (_, call) => {
    const { agent } = clerk(['Done.']).open()
    const { runId } = await agent.enqueue('Look.', inSession)
    const wordsFor = (id: string): Promise<unknown> =>
      call(agent, id).then(
        () => 'no error',
        ({ code, message }: AgentKitError) => [code, message.replace(id, '…')],
      )
    expect(await wordsFor(runId)).toEqual(await wordsFor('run_none'))
    expect(await wordsFor(runId)).toMatchObject(['not-found', expect.any(String)])
  })
})

describe('follow', () => {
  it.each([[-1], [1.5], [Number.NaN], ['1'], [99]])('refuses %s as `after`', async (after) => {
    const office = clerk(['Done.'])
    const { agent } = office.open()
    const { runId } = await agent.enqueue('Look.')
    await work(office.open())
    await agent.result(runId)
    await expect(eventsOf(office, runId, after as number)).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it.each([
    [{ oldest: 5, last: 9 }, /oldest that is there is 5/],
    [undefined, /They are gone/],
  ])('says which events are left when the one after `after` is gone: %j', async (range, message) => {
    const office = clerk(['Done.'])
    const { agent, store } = office.open()
    const { runId } = await agent.enqueue('Look.')
    await work(office.open())
    await agent.result(runId)
    const pruned = { ...store, runs: { ...store.runs, eventRange: async () => range } }
    const late = Array.fromAsync(office.open(pruned).agent.follow(runId, { after: 2 }))
    await expect(late).rejects.toMatchObject({ code: 'not-found', message: expect.stringMatching(message) })
  })

  it('continues after an event that is not stored yet', async () => {
    const looked = Promise.withResolvers<string>()
    const office = clerk([calls('look 1'), 'Done.'], { look: () => looked.promise })
    const { agent, store } = office.open()
    const run = agent.stream('Look.', { ...inSession, resumable: true })
    const { result } = run
    await expect.poll(() => office.done).toEqual(['look 1'])
    const called = (await store.runs.events(run.runId, 0, 10)).find(({ type }) => type === 'tool-call')?.seq ?? 0
    // The reader of the run has seen the call, and the store has not.
    const eventRange = async () => {
      looked.resolve('seen')
      return { oldest: 1, last: called - 1 }
    }
    const late = office.open({ ...store, runs: { ...store.runs, eventRange } }).agent
    const rest = await Array.fromAsync(late.follow(run.runId, { after: called }))
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, index) => called + 1 + index))
    expect(rest.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'stop' })
    await result
  })

  it('refuses an event that a running run cannot have emitted', async () => {
    const office = clerk([calls('look 1'), 'Done.'])
    const { agent } = office.open()
    const run = agent.stream('Look.', { ...inSession, resumable: true })
    for await (const { type } of run) {
      if (type !== 'tool-call') continue
      await expect(eventsOf(office, run.runId, 999)).rejects.toMatchObject({ code: 'invalid-argument' })
    }
    expect.assertions(1)
  })

  it('ends when its signal aborts', async () => {
    const { agent } = clerk(['Done.']).open()
    const { runId } = await agent.enqueue('Look.')
    expect(await Array.fromAsync(agent.follow(runId, { signal: AbortSignal.timeout(1) }))).toEqual([])
    const ended = agent.result(runId, { signal: AbortSignal.abort() })
    await expect(ended).rejects.toMatchObject({ code: 'aborted' })
  })
})

async function work({ agent }: Pick<ClerkProcess, 'agent'>): Promise<void> {
  workers.push(await agent.work())
}

async function eventsOf(office: Clerk, runId: string, after = 0): Promise<AgentEvent[]> {
  return Array.fromAsync(office.open().agent.follow(runId, { after }))
}

/** Deltas are one line each: how many there are depends on the model. */
function linesOf(events: readonly AgentEvent[]): string[] {
  return eventLines(events).filter((line, index, lines) => line !== 'text-delta' || lines[index - 1] !== line)
}

function everyWrite(): [number, boolean][] {
  return Array.from({ length: 9 }, (_, index) => index + 1).flatMap((number) => [
    [number, false],
    [number, true],
  ])
}
