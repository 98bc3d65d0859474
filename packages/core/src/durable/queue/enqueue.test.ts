import { afterEach, describe, expect, it, vi } from 'vitest'
import { clerk } from '../../__fixtures__/clerk.ts'
import {
  Agent,
  type EnqueueItem,
  type EnqueueOptions,
  type InputPart,
  type Message,
  memorySessions,
  workflow,
} from '../../index.ts'

afterEach(() => void vi.restoreAllMocks())

const circle: { type: string; text: string; self?: unknown } = { type: 'text', text: 'Hi.' }
circle.self = circle

describe('enqueue', () => {
  it.each<[string, unknown, RegExp]>([
    ['a Date as input', { input: new Date() }, /not an object|not of type object/],
    ['no input', {}, /message is empty|first argument/],
    ['a part with a Date', { input: [{ type: 'text', text: 'Hi.', at: new Date() }] }, /`input` is not plain JSON/],
    ['a part with a function', { input: [{ type: 'text', text: 'Hi.', at() {} }] }, /`input` is not plain JSON/],
    ['a part with a circle', { input: [circle] }, /`input` is not plain JSON/],
    ['more than 1 MB', { input: 'x'.repeat(1_048_577) }, /`input` has 1048579 bytes/],
    ['half of a surrogate pair', { input: 'Write \ud83d' }, /`input` has half of a surrogate pair/],
    ['an image of more than 1 MB', { input: [{ type: 'image', data: new Uint8Array(900_000) }] }, /`input` has/],
    ['a history with a Date', { history: [{ role: 'user', content: 'x', at: new Date() }] }, /`history` is not plain/],
    ['a date that is none', { startAfter: new Date(Number.NaN) }, /`startAfter`/],
    ['a number as a date', { startAfter: Date.now() }, /`startAfter`/],
    [
      'a date beyond 5 years',
      { startAfter: new Date(Date.now() + 5.01 * 365.25 * 86_400_000) },
      /`startAfter`.*5 years/,
    ],
    ['a priority that is not a number', { priority: 'high' }, /`priority`/],
    ['a priority beyond the highest', { priority: 1_000_001 }, /`priority`/],
    ['an empty key', { idempotencyKey: '' }, /`idempotencyKey`/],
    ['a key that is too long', { idempotencyKey: 'x'.repeat(1_025) }, /`idempotencyKey`/],
    ['a user that is not text', { userId: 7 }, /`userId`/],
    ['a replaced run without a session', { replaces: 'run_1' }, /sessionId/],
    ['a budget that does not exist', { budget: { euros: 1 } }, /euros/],
    ['an option that does not exist', { sesionId: 's' }, /sessionId/],
  ])('refuses %s, and stores nothing', async (_, item, message) => {
    const { agent } = clerk([]).open()
    const { input, ...options } = { input: 'Hi.', ...(item as object) } as EnqueueItem
    const given = 'input' in (item as object) || Object.keys(item as object).length > 0 ? input : undefined
    const refused = agent.enqueue(given as InputPart[], options)
    await expect(refused).rejects.toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(message) })
    expect(await agent.runs()).toEqual([])
  })

  it.each([null, 7, true, 'ann', [{ userId: 'ann' }]])(
    'refuses %j as options, which would be none',
    async (options) => {
      const { agent } = clerk([]).open()
      const refused = {
        code: 'invalid-argument',
        message: expect.stringMatching(/^The options are an object\. Known: /),
      }
      // As JavaScript callers may pass them.
      await expect(agent.enqueue('Hi.', options as never)).rejects.toMatchObject(refused)
      const times = { cron: '0 7 * * *' }
      await expect(agent.schedule('digest', times, 'Hi.', options as never)).rejects.toMatchObject(refused)
      await expect(agent.work(options as never)).rejects.toMatchObject(refused)
      expect(await agent.runs()).toEqual([])
    },
  )

  it('takes lists as they are when it is called', async () => {
    const { agent, store } = clerk([]).open()
    const input: InputPart[] = [{ type: 'text', text: 'Hi.' }]
    const history: Message[] = [{ role: 'user', content: 'Before?' }]
    const accepted = agent.enqueue(input, { history })
    input.push({ type: 'text', text: 'Later.' })
    history.push({ role: 'user', content: 'Later.' })
    const stored = JSON.stringify(await store.runs?.read((await accepted).runId))
    expect(stored).toContain('Before?')
    expect(stored).not.toContain('Later.')
  })

  it('takes a time in the past as now', async () => {
    const office = clerk([])
    await office.open().agent.enqueue('Hi.', { startAfter: new Date(0) })
    expect(office.disk.jobs).not.toHaveProperty('0.startAfter')
  })

  it('names the requirements of background runs', async () => {
    const agent = (sessions = memorySessions()): Agent => {
      return new Agent({ name: 'A', functions: [], model: { id: 'a/b', stream: () => none() }, sessions })
    }
    const message = 'Background runs need sessions on disk or Postgres. Pass them, such as `sessions: "sessions.db"`.'
    await expect(agent().enqueue('Hi.')).rejects.toMatchObject({ code: 'unsupported', message })
    const { runs } = clerk([]).open().store
    const { background: _, ...lasting } = runs
    const inMemory = agent({ ...memorySessions(), runs: lasting })
    for (const call of [() => inMemory.enqueue('Hi.'), () => inMemory.work(), () => inMemory.schedules()]) {
      // As of `:memory:`, and of `postgresSessions(url)`.
      await expect(call()).rejects.toMatchObject({
        code: 'invalid-config',
        message: `${message} postgresSessions() needs its option \`queue\`, such as \`postgresQueue(url)\` of @agentkit/queue-postgres.`,
      })
    }
  })

  it('refuses a workflow, whose steps no worker could continue', async () => {
    const { store } = clerk([]).open()
    const steps = workflow({ name: 'Steps', sessions: store }).step(() => 'one')
    await expect(steps.asAgent().enqueue('Go.')).rejects.toMatchObject({ code: 'unsupported' })
  })

  it('warns once, on stderr, that there is no worker, and not where there is one', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const { agent } = clerk(['Done.']).open()
    await agent.enqueue('One')
    await agent.enqueue('Two')
    expect(write.mock.calls.map(String)).toEqual([expect.stringMatching(/^agentkit: no worker for the agent "clerk"/)])
    const other = clerk(['Done.']).open()
    const worker = await other.agent.work()
    await other.agent.enqueue('One')
    await worker.close()
    expect(write).toHaveBeenCalledTimes(1)
  })
})

describe('an idempotency key', () => {
  it('is the same run for the same input and options, in any order and at any time, per user', async () => {
    const { agent } = clerk([]).open()
    const first = await agent.enqueue('Hi.', { userId: 'ann', priority: 1, idempotencyKey: 'k' })
    const again = { idempotencyKey: 'k', priority: 1, userId: 'ann', startAfter: new Date(Date.now() + 5_000) }
    expect(await agent.enqueue('Hi.', again)).toEqual(first)
    expect(await agent.enqueue('Hi.', { ...again, userId: 'bob' })).not.toEqual(first)
    expect(await agent.runs()).toHaveLength(2)
  })

  it('is the same run with options that are undefined, as those that are left out', async () => {
    const { agent } = clerk([]).open()
    const one = await agent.enqueue('Hi.', { userId: 'ann', idempotencyKey: 'k' })
    const none: Omit<EnqueueOptions, 'userId' | 'idempotencyKey'> = {
      ...{ sessionId: undefined, budget: undefined, replaces: undefined, priority: undefined },
      ...{ startAfter: undefined, timeoutMs: undefined, history: undefined },
    }
    expect(await agent.enqueue('Hi.', { userId: 'ann', idempotencyKey: 'k', ...none })).toEqual(one)
    // @ts-expect-error a user that is not known has no session, not that of the user "default"
    const _: EnqueueOptions = { userId: undefined }
    await agent.cancel(one.runId)
    const ended: string[] = []
    for await (const event of agent.follow(one.runId, { after: undefined, signal: undefined })) ended.push(event.type)
    expect(ended).toEqual(['run-end'])
  })

  it('is refused with another input, and with other options', async () => {
    const { agent } = clerk([]).open()
    await agent.enqueue('Hi.', { idempotencyKey: 'k' })
    for (const [input, budget] of [
      ['Ho.', {}],
      ['Hi.', { tokens: 1_000 }],
    ] as const) {
      const refused = agent.enqueue(input, { idempotencyKey: 'k', budget })
      await expect(refused).rejects.toMatchObject({ code: 'invalid-argument' })
    }
  })
})

describe('enqueueMany', () => {
  it('stores runs in order, and one job for each', async () => {
    const office = clerk([])
    const { agent } = office.open()
    const accepted = await agent.enqueueMany(Array.from({ length: 2_500 }, (_, index) => ({ input: `${index}` })))
    expect(office.disk.jobs.map(({ runId }) => runId)).toEqual(accepted.map(({ runId }) => runId))
    expect(await agent.enqueueMany([])).toEqual([])
  })

  it('refuses all when one item is refused, naming it', async () => {
    const { agent } = clerk([]).open()
    const refused = agent.enqueueMany([{ input: 'One' }, { input: '' }])
    await expect(refused).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/^Item 1: /),
    })
    await expect(agent.enqueueMany('one' as never)).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(agent.enqueueMany(new Array(3))).rejects.toMatchObject({ code: 'invalid-argument' })
    await expect(agent.enqueueMany([null as never])).rejects.toMatchObject({ code: 'invalid-argument' })
    const many = Array.from({ length: 10_001 }, () => ({ input: 'One' }))
    await expect(agent.enqueueMany(many)).rejects.toMatchObject({ code: 'invalid-argument' })
    expect(await agent.runs()).toEqual([])
  })

  it('stores whole thousands within the bounds, and says how many', async () => {
    const office = clerk([])
    const items = Array.from({ length: 2_500 }, () => ({ input: 'Hi.' }))
    const refused = office.open().agent.enqueueMany(items, { queued: 100_000, userQueued: 1_500 })
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', retryable: true, details: { accepted: 1_000 } })
    expect(office.disk.jobs).toHaveLength(1_000)
  })
})

async function* none(): AsyncGenerator<never> {}
