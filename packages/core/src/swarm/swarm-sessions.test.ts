import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import { callingThen, eventsOf, member, saying, thinking, wordsOf } from '../__fixtures__/team.ts'
import {
  type Collaboration,
  type Message,
  memorySessions,
  type SessionStore,
  Swarm,
  type SwarmOptions,
  validateTranscript,
} from '../index.ts'

refuseUnhandledRejections()

const sessions = Array.from({ length: 50 }, (_, index) => `s${index}`)
const turns = Array.from({ length: 20 }, (_, index) => index)

/** The problems of one session's messages, each of which has `<session>` in its text. */
function foreign(messages: readonly Message[]): string[] {
  const names = new Set(JSON.stringify(messages).match(/<s\d+>/g))
  const problems = validateTranscript(messages.filter(({ role }) => role !== 'system')).map(({ problem }) => problem)
  return [...problems, ...(names.size > 1 ? [`${[...names]} in one session`] : [])]
}

function swarmOf(options: Partial<SwarmOptions>, problems: string[]): Swarm {
  const { collaboration = 'manager', name = 'Team' } = options
  const speaker = (id: string) =>
    thinking(async ({ messages, tools = [] }) => {
      await nextTurnOfTheLoop()
      problems.push(...foreign(messages))
      const session = JSON.stringify(messages.at(-1)).match(/<s\d+>/)?.[0] ?? 'no session'
      const last = messages.at(-1)
      if (tools.length > 0 && last?.role === 'user') {
        if (collaboration === 'handoff' && id === 'ann') return [['transfer_to_bob', { reason: session }]]
        if (id === 'Team' || id === 'one' || id === 'two')
          return tools.map((one) => [one.name, { task: `Do ${session}.` }])
      }
      return `${id} has done ${sessionOf(messages)}.`
    })
  const agents = [member('Ann', speaker('ann')), member('Bob', speaker('bob'))]
  return new Swarm({ model: speaker(name), agents, maxSteps: 5, ...options, name })
}

function sessionOf(messages: readonly Message[]): string {
  return JSON.stringify(messages).match(/<s\d+>/)?.[0] ?? 'no session'
}

async function expectLanes(store: SessionStore, swarms: readonly string[]): Promise<void> {
  for (const session of sessions) {
    for (const id of swarms) {
      for (const agentId of [id, `${id}/ann`, `${id}/bob`]) {
        const stored = await store.load({ agentId, userId: 'default', sessionId: session })
        const text = JSON.stringify(stored?.messages ?? [])
        expect(foreign(stored?.messages ?? []), `${agentId} of ${session}`).toEqual([])
        expect(text.match(/<s\d+>/)?.[0] ?? `<${session}>`).toBe(`<${session}>`)
      }
    }
  }
}

describe('1,000 concurrent turns, 20 in each of 50 sessions', () => {
  it.each<[string, Partial<SwarmOptions>, number]>([
    ['a manager, members with their own history', { history: 'own' }, 20],
    ['a manager, members with their task', { history: 'task' }, 20],
    ['handoffs', { collaboration: 'handoff' }, 0],
    ['parallel members', { collaboration: 'parallel', history: 'own' }, 20],
  ])('never see another session: %s', async (_what, options, calls) => {
    const problems: string[] = []
    const store = memorySessions()
    const swarm = swarmOf({ ...options, sessions: store }, problems)
    const answers = await Promise.all(
      turns.flatMap((turn) =>
        sessions.map(async (sessionId) => [
          sessionId,
          await swarm.chat(`Turn ${turn} of <${sessionId}>`, { sessionId }),
        ]),
      ),
    )
    expect(answers).toHaveLength(1_000)
    for (const [sessionId, answer] of answers) expect(answer).toContain(`<${sessionId}>`)
    expect(problems).toEqual([])
    await expectLanes(store, ['team'])
    const own = await store.turns({ agentId: 'team', userId: 'default', sessionId: 's7' })
    expect(own.map(({ status }) => status)).toEqual(turns.map(() => 'done'))
    const stored = await store.turns({ agentId: 'team/ann', userId: 'default', sessionId: 's7' })
    expect(stored.length).toBe(calls)
  })

  it('nor another swarm in the same store whose members have the same names', async () => {
    const problems: string[] = []
    const store = memorySessions()
    const swarms = ['one', 'two'].map((name) => swarmOf({ name, history: 'own', sessions: store }, problems))
    await Promise.all(
      swarms.flatMap((swarm) =>
        sessions.flatMap((sessionId) =>
          turns.slice(0, 5).map((turn) => swarm.chat(`${swarm.id}: turn ${turn} of <${sessionId}>`, { sessionId })),
        ),
      ),
    )
    expect(problems).toEqual([])
    await expectLanes(store, ['one', 'two'])
    const session = await store.load({ agentId: 'one/ann', userId: 'default', sessionId: 's3' })
    expect(session?.messages.length).toBe(10)
  })
})

it('the sessions of a swarm leave out the messages that `load` is asked to leave out', async () => {
  const swarm = new Swarm({ name: 'Team', model: saying('Done.'), agents: [member('Ann', saying('Ink.'))] })
  await swarm.chat('Go', { sessionId: 's' })
  const session = await swarm.sessions.load({ agentId: 'team', userId: 'default', sessionId: 's' }, { from: 1 })
  expect([session?.from, session?.messages.map(wordsOf)]).toEqual([1, ['Done.']])
})

describe('member sessions', () => {
  const key = (agentId: string) => ({ agentId, userId: 'default', sessionId: 's' })

  it.each<Collaboration>(['manager', 'handoff'])(
    'of nested members have the ids of both swarms: %s',
    async (collaboration) => {
      const store = memorySessions()
      const model = callingThen([['office', { task: 'Do it.' }]], 'Done.')
      const office = new Swarm({
        ...{ name: 'Office', model: callingThen([['clerk', { task: 'Write.' }]], 'Written.') },
        agents: [member('Clerk', saying('Ink.'))],
      })
      const swarm = new Swarm({ name: 'Firm', model, agents: [office], sessions: store, collaboration })
      await swarm.chat('Go', { sessionId: 's' })
      expect((await store.load(key('firm/office/clerk')))?.messages.map(wordsOf)).toEqual(['Write.', 'Ink.'])
      expect(await store.load(key('office/clerk'))).toBeUndefined()
      await swarm.sessions.delete(key('firm'))
      expect(await store.load(key('firm/office/clerk'))).toBeUndefined()
    },
  )

  it('that cannot be stored cause a warning and no failure', async () => {
    const store = memorySessions()
    const broken: SessionStore = {
      ...store,
      async begin(key, run) {
        if (key.agentId === 'team/ann') throw new Error('disk full')
        return store.begin(key, run)
      },
    }
    const model = callingThen([['ann', { task: 'x' }]], 'Done.')
    const swarm = new Swarm({ name: 'Team', model, agents: [member('Ann')], sessions: broken })
    const result = await swarm.stream('Go', { sessionId: 's' }).result
    expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.' })
    expect(result.warnings).toEqual([expect.stringContaining('"team/ann" could not be stored: disk full')])
  })

  it('are deleted also for members that a member gets later', async () => {
    const inner = new Swarm({
      name: 'Inner',
      model: callingThen([['bob', { task: 'x' }]], 'x'),
      agents: [member('Ann')],
    })
    const model = callingThen([['inner', { task: 'x' }]], 'Done.')
    const swarm = new Swarm({ name: 'Team', model, agents: [inner] })
    await swarm.chat('Go')
    inner.addAgent(member('Bob'))
    const { events } = await eventsOf(swarm.stream('Go'))
    expect(events.map(({ path }) => path.join('/'))).toContain('team/inner/bob')
  })
})
