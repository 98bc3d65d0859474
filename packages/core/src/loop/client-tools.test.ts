import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type MemoryDisk, memoryDisk } from '../__fixtures__/memory-runs.ts'
import { follow, wordsOf } from '../__fixtures__/payer.ts'
import { Agent, type AgentOptions, type JSONValue, type RunResult, Swarm, tool } from '../index.ts'

const session = { userId: 'ann', sessionId: 's' }

const locate = tool({
  name: 'locate',
  description: 'Where the user is.',
  input: z.object({ precise: z.boolean() }),
  output: z.object({ city: z.string() }),
  client: true,
})

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
})

type Options = Partial<Omit<AgentOptions<unknown>, 'model'>>

function guide(turns: readonly ScriptedTurn[], options: Options = {}) {
  const model = scriptedModel(turns)
  return { model, agent: new Agent<unknown>({ name: 'Guide', functions: [locate, pay], model, ...options }) }
}

const call = (name: string, input: Record<string, JSONValue> = {}, callId = name) => ({ name, callId, input })
const located: ScriptedTurn = { toolCalls: [call('locate', { precise: true })] }

const idOf = ({ approvals }: RunResult, name = 'locate'): string =>
  approvals.find((approval) => approval.name === name)?.approvalId ?? ''

const lastWords = ({ requests }: ReturnType<typeof scriptedModel>, of = 1): string | undefined =>
  wordsOf(requests[of]?.messages ?? []).at(-1)

describe('a call that the client executes', () => {
  it('waits for its result while the run is iterated', async () => {
    const { agent, model } = guide([located, 'You are in Oslo.'])
    const { events, result } = await follow(agent.stream('Where am I?'), (request, run) => {
      expect(request).toMatchObject({ kind: 'client-tool', name: 'locate', input: { precise: true } })
      return run.answer(request.approvalId, { city: 'Oslo' })
    })
    expect(result).toMatchObject({ text: 'You are in Oslo.', finishReason: 'stop' })
    expect(lastWords(model)).toBe('tool: {"city":"Oslo"}')
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      output: { city: 'Oslo' },
      isError: false,
    })
  })

  it('may be denied', async () => {
    const { agent, model } = guide([located, 'I do not know.'])
    await follow(agent.stream('Where am I?'), ({ approvalId }, run) => run.deny(approvalId, 'No permission.'))
    expect(lastWords(model)).toBe('tool: The call was denied: No permission.')
  })

  it('is not approved, and takes no result that does not fit: it waits on', async () => {
    const { agent, model } = guide([located, 'You are in Oslo.'])
    const { result } = await follow(agent.stream('Where am I?'), async ({ approvalId }, run) => {
      expect(() => run.approve(approvalId)).toThrow('The client executes locate: give its result by')
      await expect(run.answer(approvalId, { town: 'Oslo' })).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('does not fit the `output` of locate.'),
      })
      await run.answer(approvalId, { city: 'Oslo' })
      await expect(run.answer(approvalId, { city: 'Rome' })).rejects.toMatchObject({ code: 'session-conflict' })
    })
    expect(result.text).toBe('You are in Oslo.')
    expect(lastWords(model)).toBe('tool: {"city":"Oslo"}')
  })

  it('gets an error result when its input does not fit, without waiting', async () => {
    const { agent, model } = guide([{ toolCalls: [call('locate', { precise: 'very' })] }, 'Sorry.'])
    expect(await agent.chat('Where am I?')).toBe('Sorry.')
    expect(lastWords(model)).toContain("The arguments do not fit the tool's schema.")
  })

  it('is counted by the budget of tool calls once it has its result', async () => {
    const { agent } = guide([located, located, 'Done.'], { budget: { toolCalls: 1 } })
    const { result } = await follow(agent.stream('Where am I?'), ({ approvalId }, run) =>
      run.answer(approvalId, { city: 'Oslo' }),
    )
    expect(result.finishReason).toBe('budget')
  })

  it('continues in another process, beside an approval', async () => {
    const disk = memoryDisk()
    const first = open(disk, [{ toolCalls: [call('locate', { precise: true }), call('pay')] }])
    const waiting = await first.agent.stream('Where am I?', session).result
    expect(waiting.approvals.map(({ kind }) => kind)).toEqual(['client-tool', 'approval'])
    first.kill()
    const second = open(disk, ['Oslo.'])
    const decide = (decision: JSONValue) =>
      second.agent.decide(waiting.runId, { [idOf(waiting)]: { result: decision } })
    await expect(decide('Oslo')).rejects.toMatchObject({ code: 'invalid-argument' })
    await decide({ city: 'Oslo' })
    await expect(decide({ city: 'Rome' })).rejects.toMatchObject({ code: 'session-conflict' })
    const { text } = await second.agent.resume(waiting.runId, { [idOf(waiting, 'pay')]: true }).result
    expect(text).toBe('Oslo.')
    expect(wordsOf(second.model.requests[0]?.messages ?? []).slice(-2)).toEqual(['tool: {"city":"Oslo"}', 'tool: paid'])
  })

  it('keeps its kind, and the check of its result, in a store without runs', async () => {
    const { agent, model } = guide([located, 'Oslo.'])
    const waiting = await agent.stream('Where am I?', session).result
    const approvals = [{ kind: 'client-tool' }]
    expect(await agent.resume(waiting.runId, {}).result).toMatchObject({ finishReason: 'approval', approvals })
    const wrong = await agent.resume(waiting.runId, { [idOf(waiting)]: { result: 7 } }).result
    expect(wrong.error).toMatchObject({ code: 'invalid-argument' })
    expect((await agent.resume(waiting.runId, { [idOf(waiting)]: { result: { city: 'Oslo' } } }).result).text).toBe(
      'Oslo.',
    )
    expect(lastWords(model)).toBe('tool: {"city":"Oslo"}')
  })

  it("is a member's, whose tool checks its result", async () => {
    const { agent } = guide([located, 'Oslo.'])
    const model = scriptedModel([{ toolCalls: [call('guide', { task: 'Where?' })] }, 'In Oslo.'])
    const { store } = memoryDisk().open()
    const swarm = new Swarm({ name: 'Team', agents: [agent], model, sessions: store })
    const waiting = await swarm.stream('Where am I?', session).result
    const answer = (city: JSONValue) => swarm.resume(waiting.runId, { [idOf(waiting)]: { result: { city } } }).result
    expect((await answer(7)).error).toMatchObject({ code: 'invalid-argument' })
    expect((await answer('Oslo')).text).toBe('In Oslo.')
  })
})

describe.each([
  ['with runs', () => memoryDisk().open().store],
  ['without runs', () => undefined],
])('the next question of the session, in a store %s', (_, makeStore) => {
  const options = (): Options => {
    const sessions = makeStore()
    return sessions ? { sessions } : {}
  }

  it('settles a call that no client has answered', async () => {
    const { agent, model } = guide([located, 'Rome is in Italy.'], options())
    const waiting = await agent.stream('Where am I?', session).result
    expect(await agent.chat('Where is Rome?', session)).toBe('Rome is in Italy.')
    expect(wordsOf(model.requests[1]?.messages ?? [])).toEqual([
      ...['user: Where am I?', 'assistant: locate'],
      'tool: The client did not answer the call: the user asked something else.',
      ...['assistant: [stopped: interrupted]', 'user: Where is Rome?'],
    ])
    const late = await agent.resume(waiting.runId, { [idOf(waiting)]: { result: { city: 'Oslo' } } }).result
    expect(late.error?.code).toMatch(/session-conflict|not-found/)
    expect(model.requests).toHaveLength(2)
  })

  it('settles it for a reader who still waits', async () => {
    const { agent } = guide([located, 'Rome is in Italy.'], options())
    const run = agent.stream('Where am I?', session)
    const { result } = await follow(run, async () => {
      expect(await agent.chat('Where is Rome?', session)).toBe('Rome is in Italy.')
    })
    expect(result).toMatchObject({ finishReason: 'aborted', error: { code: 'aborted' } })
  })
})

describe('an approval beside an unanswered call', () => {
  it('stays open when the user asks something else', async () => {
    const disk = memoryDisk()
    const { agent, model } = open(disk, [
      { toolCalls: [call('locate', { precise: true }), call('pay')] },
      'Rome is in Italy.',
      'Paid.',
    ])
    const waiting = await agent.stream('Where am I?', session).result
    await agent.chat('Where is Rome?', session)
    expect((await agent.resume(waiting.runId, { [idOf(waiting, 'pay')]: true }).result).text).toBe('Paid.')
    expect(wordsOf(model.requests[2]?.messages ?? []).slice(-2)).toEqual([
      'tool: The call was denied: The client did not answer the call: the user asked something else.',
      'tool: paid',
    ])
  })
})

describe('a client tool', () => {
  it.each<[string, object, string]>([
    ['execute', { execute: () => 1 }, 'leave `execute` out'],
    ['needsApproval', { needsApproval: true }, 'leave `needsApproval` out'],
    ['timeoutMs', { timeoutMs: 1 }, 'leave `timeoutMs` out'],
    ['another `client`', { client: false }, '`client` is true or left out'],
    ['an `output` that is not a schema', { output: 7 }, 'give `output` as a Standard Schema'],
    ['an `output` with a wrong type', { output: { type: 'text' } }, 'output has the type "text"'],
  ])('has no %s', (_, wrong, message) => {
    const options = {
      name: 'locate',
      description: 'Where.',
      input: { type: 'object' },
      client: true as const,
      ...wrong,
    }
    expect(() => tool(options)).toThrow(message)
  })
})

function open(disk: MemoryDisk, turns: readonly ScriptedTurn[]) {
  const { store, kill } = disk.open()
  return { ...guide(turns, { sessions: store }), kill }
}
