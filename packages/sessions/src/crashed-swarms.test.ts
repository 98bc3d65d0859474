import { Agent, type RunRecord, Swarm, type ToolMessage, validateTranscript, workflow } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { type StorePlace, storeKinds, storePlace } from './__fixtures__/store-places.ts'
import { session } from './sqlite/__fixtures__/background.ts'
import { drive, type MortalStore, mortalStore } from './sqlite/__fixtures__/mortal-store.ts'
import { effect, type Kind, kinds, modelOf, swarmOf, type TeamOptions, worker } from './sqlite/__fixtures__/team.ts'

const timeout = process.env.EVERY_WRITE ? 3_600_000 : 300_000

describe.each(storeKinds)('a swarm in %s whose worker dies at any of its writes', (storeKind) => {
  const place = storePlace(storeKind)

  it.each(kinds)('repeats nothing that a member has finished: %s', { timeout }, async (kind) => {
    const whole = await live(place, kind)
    expect(whole.record).toMatchObject({ status: 'done' })
    // Each kind of store tests other writes, because all of them take minutes.
    const every = process.env.EVERY_WRITE ? 1 : storeKind === 'SQLite' ? kinds.length : 4 * kinds.length
    for (
      let number = 1 + Math.floor((kinds.indexOf(kind) * every) / kinds.length);
      number <= whole.writes;
      number += every
    ) {
      for (const hasEffect of [true, false]) {
        const what = `${kind}, write ${number} of ${whole.writes}, ${hasEffect ? 'stored' : 'not stored'}`
        const { record, modelCalls, effects, lines, hasWaited } = await live(place, kind, { number, hasEffect })
        expect(record, what).toMatchObject({ status: 'done', text: whole.record.text, usage: whole.record.usage })
        expect(record.cost?.usd, what).toBeCloseTo(whole.record.cost?.usd ?? 0, 10)
        for (const [agent, calls] of Object.entries(modelCalls)) {
          expect(calls, `${what}: ${agent}`).toBeLessThanOrEqual((whole.modelCalls[agent] ?? 0) + 1)
        }
        const counts = effects.filter((line) => line.startsWith('count'))
        expect(new Set(counts).size, what).toBe(counts.length)
        // A run that waited for a decision has more than one segment.
        const isCompared = (line: string): boolean => !hasWaited || !/ (run|agent)-(start|end)$/.test(line)
        expect(lines.filter(isCompared).toSorted(), what).toEqual(whole.lines.filter(isCompared).toSorted())
      }
    }
  })
})

describe.each(storeKinds)('the session of a member in %s, whose worker dies at any of its writes', (storeKind) => {
  const place = storePlace(storeKind)

  it('has what the member did, once', { timeout: 120_000 }, async () => {
    const whole = await lead(place)
    expect(whole.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    for (let number = 1; number <= whole.writes; number++) {
      for (const hasEffect of [true, false]) {
        const { messages, statuses, warnings } = await lead(place, { number, hasEffect })
        const what = `write ${number} of ${whole.writes}, ${hasEffect ? 'stored' : 'not stored'}`
        expect(messages, what).toEqual(whole.messages)
        expect([statuses, warnings], what).toEqual([['done'], []])
      }
    }
  })
})

describe.each(storeKinds)('a workflow in %s that has the conversation of a swarm whose worker dies', (storeKind) => {
  const place = storePlace(storeKind)

  it('runs no step twice, unless its run is retried', { timeout: 120_000 }, async () => {
    const whole = await handOver(place)
    expect(whole).toMatchObject({ record: { status: 'done' }, steps: ['draft', 'print'] })
    const ended: unknown[] = []
    for (let number = 1; number <= whole.writes; number++) {
      for (const hasEffect of [true, false]) {
        const what = `write ${number} of ${whole.writes}, ${hasEffect ? 'stored' : 'not stored'}`
        const { record, steps, retried } = await handOver(place, { number, hasEffect })
        expect(new Set(steps).size, what).toBe(steps.length)
        if (record.status === 'failed') expect(record.error, what).toMatchObject({ code: 'crashed' })
        else expect(steps, what).toEqual(whole.steps)
        ended.push(record.status)
        expect(retried, what).toMatchObject({ status: 'done', text: whole.record.text })
      }
    }
    expect(ended).toContain('failed')
  })
})

/** A swarm whose member hands the conversation to a workflow; where its run fails, it is retried. */
async function handOver(place: StorePlace, death?: { number: number; hasEffect: boolean }) {
  const steps: string[] = []
  const make = (sessions: TeamOptions['sessions']): Swarm => {
    const step = (name: string) => (text: string) => {
      steps.push(name)
      return text
    }
    const report = workflow({ name: 'Report', sessions })
      .step(step('draft'))
      .step(worker('Cas', [], { sessions }))
      .step(step('print'))
    const ann = new Agent({ name: 'Ann', model: modelOf('Ann', () => [['transfer_to_report', {}]]) })
    return new Swarm({ name: 'Team', agents: [ann, report.asAgent()], collaboration: 'handoff', sessions })
  }
  const name = `handed_${death?.number ?? 'none'}_${death?.hasEffect ?? ''}`
  const { runId, writes } = await begin({ place, name, make, death })
  const second = mortalStore(place.open(name))
  const swarm = make(second.store)
  const record = await settle(swarm, second, runId)
  const own = [...steps]
  if (record.status === 'failed') await swarm.retry(runId)
  const retried = await settle(swarm, second, runId)
  await second.store.close()
  return { record, retried, steps: own, writes }
}

/** A swarm with one member that is enqueued, begun by a process that may die, and continued by another one. */
async function lead(place: StorePlace, death?: { number: number; hasEffect: boolean }) {
  const make = (sessions: TeamOptions['sessions']): Swarm => {
    const options: TeamOptions = { sessions }
    return swarmOf(
      'Team',
      'manager',
      [worker('Ann', [effect('look', options, { idempotent: true })], options)],
      options,
    )
  }
  const name = `one_${death?.number ?? 'none'}_${death?.hasEffect ?? ''}`
  const { runId, writes } = await begin({ place, name, make, death })
  const second = place.open(name)
  const swarm = make(second)
  await settle(swarm, mortalStore(second), runId)
  const { warnings } = await swarm.result(runId)
  const key = { agentId: 'team/ann', ...session }
  const statuses = (await second.turns(key)).map(({ status }) => status).filter((status) => status !== 'replaced')
  const messages = (await second.load(key))?.messages ?? []
  await second.close()
  return { messages, statuses, warnings, writes }
}

type Begun = {
  place: StorePlace
  name: string
  make(sessions: TeamOptions['sessions']): Swarm
  death: Parameters<typeof mortalStore>[1]
}

/** Enqueues a run of a swarm, in a process that drives it until its end, or dies before. */
async function begin({ place, name, make, death }: Begun): Promise<{ runId: string; writes: number }> {
  const first = place.open(name)
  // Otherwise the test would print a warning about it.
  await first.runs?.background?.beatWorker('test', ['team'])
  const mortal = mortalStore(first, death)
  const { runId } = await make(first).enqueue('Go.', session)
  await Promise.race([drive(make(mortal.store), mortal), mortal.died])
  await first.close()
  return { runId, writes: mortal.writes }
}

type Life = {
  record: RunRecord
  writes: number
  modelCalls: Record<string, number>
  effects: string[]
  lines: string[]
  hasWaited: boolean
}

/** A swarm that is enqueued, begun by a process that may die, and continued by another one. */
async function live(place: StorePlace, kind: Kind, death?: { number: number; hasEffect: boolean }): Promise<Life> {
  const effects: string[] = []
  const modelCalls: Record<string, number> = {}
  const make = (sessions: TeamOptions['sessions']): Swarm => {
    const options: TeamOptions = {
      ...{ sessions, budget: { modelCalls: 40, toolCalls: 60, tokens: 100_000, seconds: 600 } },
      effect: (what, key) => void effects.push(`${what} ${key}`),
      called(agent) {
        modelCalls[agent] = (modelCalls[agent] ?? 0) + 1
      },
    }
    const cas = worker('Cas', [effect('count', options)], options)
    const inner = swarmOf('Inner', 'parallel', [cas, worker('Dan', [], options)], options)
    const ann = worker('Ann', [effect('look', options, { idempotent: true }), effect('count', options)], options)
    // The first one has the conversation.
    return swarmOf('Team', kind, kind === 'handoff' ? [inner, ann] : [ann, inner], options)
  }
  const name = `${kind}_${death?.number ?? 'none'}_${death?.hasEffect ?? ''}`
  const { runId, writes } = await begin({ place, name, make, death })
  const second = place.open(name)
  const alive = mortalStore(second)
  const swarm = make(alive.store)
  const record = await settle(swarm, alive, runId)
  const lines: string[] = []
  let hasWaited = false
  const seqs: number[] = []
  for await (const event of swarm.follow(runId)) {
    seqs.push(event.seq)
    const { type } = event
    hasWaited ||= type === 'approval-request'
    // A step that was cut off emits its events again.
    if (['text-delta', 'tool-call', 'step-restart', 'approval-request'].includes(type)) continue
    lines.push(`${event.path.join('/')} ${type}${'callId' in event ? ` ${event.callId.replace(/call_.*/, '')}` : ''}`)
  }
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b))
  for (const agentId of ['team', 'team/ann', 'team/inner', 'team/inner/cas']) {
    const messages = (await second.load({ agentId, ...session }))?.messages ?? []
    expect(messages.length > 0, agentId).toBe(kind !== 'handoff' || agentId === 'team' || agentId.endsWith('cas'))
    expect(validateTranscript(messages), agentId).toEqual([])
    const results = messages.filter((message): message is ToolMessage => message.role === 'tool')
    expect(results.filter(({ isError }) => isError)).toEqual([])
  }
  await second.close()
  return { record, writes, modelCalls, effects, lines, hasWaited }
}

/** Drives a run, and decides on calls of unknown outcome, until it has ended. */
async function settle(swarm: Swarm, alive: MortalStore, runId: string): Promise<RunRecord> {
  for (;;) {
    await drive(swarm, alive)
    const record = (await alive.store.runs.read(runId))?.record
    if (record?.status !== 'waiting') return record as RunRecord
    const decisions = record.approvals.map(({ approvalId, kind, name }) => {
      expect({ kind, name }).toEqual({ kind: 'unknown-outcome', name: 'count' })
      return [approvalId, { result: 'count is done.' }] as const
    })
    await swarm.decide(runId, Object.fromEntries(decisions))
  }
}
