import type { SessionStore, Swarm } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { backgroundTests, collect, ended, patiently, session } from './__fixtures__/background.ts'
import { effect, lastWords, modelOf, swarmOf, worker } from './__fixtures__/team.ts'

const { open, work } = backgroundTests()

describe('a member', () => {
  it('that fails is an error result for its caller, as in a direct run', patiently, async () => {
    const make = (sessions: SessionStore): Swarm => {
      const broken = modelOf('Ann', () => {
        throw new Error('It is broken.')
      })
      const options = { sessions, members: { Ann: { model: broken } } }
      return swarmOf('Team', 'manager', [worker('Ann', [], options), worker('Ben', [], options)], options)
    }
    const direct = await make(open('direct')).stream('Go.', session).result
    const swarm = make(open())
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const result = await ended(swarm, runId)
    expect(result.messages).toEqual(direct.messages)
    expect(result.warnings).toEqual(direct.warnings)
    expect(result.text).toBe(direct.text)
  })

  it('does each task that it is given, also where the model uses the id of a call again', patiently, async () => {
    const ask = (task: string) => ({ toolCalls: [{ name: 'ann', callId: 'call_0', input: { task } }] })
    const options = { sessions: open() }
    const ann = worker('Ann', [], {
      ...options,
      members: { Ann: { model: modelOf('Ann', (request) => `Done: ${lastWords(request)}`) } },
    })
    const model = scriptedModel([ask('Pay Eve.'), ask('Pay Bob.'), 'Both are paid.'])
    const swarm = swarmOf('Team', 'manager', [ann], { ...options, swarm: { model } })
    await work(swarm)
    const { runId } = await swarm.enqueue('Pay Eve and Bob.', session)
    const { messages } = await ended(swarm, runId)
    const results = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))
    expect(results).toEqual(['Done: Pay Eve.', 'Done: Pay Bob.'])
  })

  it('ends at its own deadline, and at that of the outermost run', patiently, async () => {
    for (const [own, whole] of [
      [100, 60_000],
      [60_000, 300],
    ] as const) {
      const sessions = open(`${own}`)
      const options = {
        ...{ sessions, members: { Ann: { timeoutMs: own } } },
        effect: (_what: string) => new Promise<void>((resolve) => setTimeout(resolve, 60_000).unref()),
      }
      const swarm = swarmOf('Team', 'manager', [worker('Ann', [effect('wait', options)], options)], options)
      const worker1 = await work(swarm)
      const { runId } = await swarm.enqueue('Go.', { ...session, timeoutMs: whole })
      const result = await ended(swarm, runId)
      const late = 'The run did not end within'
      if (own < whole) expect(JSON.stringify(result.messages)).toContain(`${late} ${own} ms.`)
      else expect(result.error).toMatchObject({ code: 'timeout', message: `${late} ${whole} ms.` })

      await worker1.close()
    }
  })

  it('is cancelled with its caller, in whichever process it runs', patiently, async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    let wasAborted = false
    const make = (sessions: SessionStore): Swarm => {
      const options = { sessions }
      const model = modelOf('Ann', () => 'unused')
      model.stream = async function* (_request, signal) {
        begin()
        yield { type: 'text-delta', text: 'I begin. ' }
        for (let number = 0; ; number++) {
          await new Promise((resolve) => setTimeout(resolve, 5))
          wasAborted = signal.aborted
          signal.throwIfAborted()
          yield { type: 'text-delta', text: `${number} ` }
        }
      }
      const inner = swarmOf(
        'Inner',
        'manager',
        [worker('Ann', [], { ...options, members: { Ann: { model } } })],
        options,
      )
      return swarmOf('Team', 'manager', [inner], options)
    }
    const sessions = open()
    await work(make(open()))
    const swarm = make(sessions)
    const { runId } = await swarm.enqueue('Go.', session)
    await begun
    expect(await swarm.cancel(runId)).toBe(true)
    await expect.poll(() => wasAborted, patiently).toBe(true)
    expect(await sessions.runs.background.unfinished(['team'], { limit: 10 })).toEqual([])
    expect(await ended(swarm, runId)).toMatchObject({ finishReason: 'aborted' })
    const events = await collect(swarm, runId)
    expect(events.at(-1)).toMatchObject({ type: 'run-end', finishReason: 'aborted' })
  })

  it('that is gone in another version is an error for its caller', patiently, async () => {
    const sessions = open()
    const make = (names: readonly string[]): Swarm => {
      const options = { sessions }
      const agents = names.map((name) => worker(name, [], options))
      return swarmOf('Team', 'manager', agents, { ...options, swarm: { version: '1' } })
    }
    const old = make(['Ann', 'Ben'])
    const { runId } = await old.enqueue('Go.', session)
    await old.continueRun(runId).result
    const swarm = make(['Ann'])
    await work(swarm)
    const { messages, text } = await ended(swarm, runId)
    expect(text).toBe('Team: all is done.')
    const results = messages.filter(({ role }) => role === 'tool')
    expect(results).toMatchObject([{ name: 'ann' }, { name: 'ben', isError: true }])
  })

  it('with which five processes die fails, and its caller continues', patiently, async () => {
    const sessions = open()
    const options = { sessions }
    const swarm = swarmOf('Team', 'manager', [worker('Ann', [], options), worker('Ben', [], options)], options)
    const { runId } = await swarm.enqueue('Go.', session)
    await swarm.continueRun(runId).result
    const [ann = ''] = sessions.members
    for (let death = 0; death < 5; death++) {
      const other = open()
      await other.runs.takeOver(ann, { expectedVersion: 0, ...(death === 0 && { begin: { messages: [] } }) })
      await other.close()
    }
    await work(swarm)
    const { messages, text } = await ended(swarm, runId)
    expect(text).toBe('Team: all is done.')
    const results = messages.filter(({ role }) => role === 'tool')
    expect(results).toMatchObject([{ name: 'ann', isError: true }, { name: 'ben' }])
    const events = await collect(swarm, runId)
    const ends = events.filter(({ type }) => type === 'agent-end')
    expect(ends.map(({ path }) => path.join('/')).toSorted()).toEqual(['team/ann', 'team/ben'])
    expect(events.filter(({ type }) => type === 'run-end')).toHaveLength(1)
  })

  it('sees the outermost run in its tools, and cannot be resumed by itself', patiently, async () => {
    const sessions = open()
    const seen: unknown[] = []
    const options = { sessions }
    const look = effect('look', options)
    const spy = {
      ...look,
      execute: (_: unknown, { runId, sessionId, userId }: Parameters<typeof look.execute>[1]) =>
        void seen.push({ runId, sessionId, userId }),
    }
    const pay = effect('pay', options, { needsApproval: true })
    const swarm = swarmOf('Team', 'manager', [worker('Ann', [spy, pay], options)], options)
    await work(swarm)
    const { runId } = await swarm.enqueue('Go.', session)
    const { approvals } = await swarm.result(runId)
    expect(seen).toEqual([{ runId, ...session }])
    expect(sessions.members.size).toBe(1)
    for (const member of sessions.members) {
      const { error } = await swarm.resume(member, { [approvals[0]?.approvalId ?? '']: true }).result
      expect(error).toMatchObject({ code: 'session-conflict' })
    }
    await swarm.decide(runId, { [approvals[0]?.approvalId ?? '']: true })
    expect(await ended(swarm, runId)).toMatchObject({ text: 'Team: all is done.' })
  })
})

it('continues after a worker that died between storing members and queueing them', patiently, async () => {
  const sessions = open()
  const options = { sessions }
  const swarm = swarmOf('Team', 'manager', [worker('Ann', [], options)], options)
  const { runId } = await swarm.enqueue('Go.', session)
  await swarm.continueRun(runId).result
  const { queue } = sessions.runs.background
  await queue.clear()
  const { unfinished } = sessions.runs.background
  // A worker looks for runs without a job when it starts: here it finds none.
  let isFirst = true
  sessions.runs.background.unfinished = async (...page) => {
    const wasFirst = isFirst
    isFirst = false
    return wasFirst ? [] : unfinished(...page)
  }
  await work(swarm)
  await expect.poll(() => isFirst, patiently).toBe(false)
  // The job of the run, which the dead worker had not settled.
  await queue.add([{ runId, agentId: 'team', userId: 'ann' }])
  expect(await ended(swarm, runId)).toMatchObject({ text: 'Team: all is done.' })
})

it('hides the members of a run that is replaced, and ends those that run', patiently, async () => {
  const sessions = open()
  const options = { sessions }
  const pay = effect('pay', options, { needsApproval: true })
  const swarm = swarmOf('Team', 'manager', [worker('Ann', [pay], options)], options)
  await work(swarm)
  const { runId } = await swarm.enqueue('Go.', session)
  await swarm.result(runId)
  const { runId: next } = await swarm.enqueue('Go again.', { ...session, replaces: runId })
  const { approvals } = await swarm.result(next)
  await swarm.decide(next, { [approvals[0]?.approvalId ?? '']: true })
  await ended(swarm, next)
  const ann = await sessions.load({ agentId: 'team/ann', ...session })
  expect(ann?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  expect(await swarm.result(runId)).toMatchObject({ finishReason: 'aborted' })
})
