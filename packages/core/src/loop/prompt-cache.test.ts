import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import type { AgentOptions } from '../agents/agent-options.ts'
import type { CachePlan } from '../contracts/model.ts'
import { memorySessions } from '../sessions/memory-sessions.ts'
import { tool } from '../tools/define-tool.ts'

const none = { type: 'object', properties: {} }
const look = tool({ name: 'look', description: 'Looks.', input: none, execute: () => 'A part.' })
const pay = tool({ name: 'pay', description: 'Pays.', input: none, needsApproval: true, execute: () => 'Paid.' })
const calls = (name: string): ScriptedTurn => ({ toolCalls: [{ name }] })

type Asked = Partial<AgentOptions> & { userId?: string; sessionId?: string }

/** The plan of a run's first request. */
async function planOf({ userId, sessionId, ...options }: Asked): Promise<CachePlan | undefined> {
  const model = scriptedModel(['Hello.'])
  const agent = new Agent({ name: 'Test', model, ...options })
  await agent.stream('Hi.', { ...(userId && { userId }), ...(sessionId && { sessionId }) }).result
  return model.requests[0]?.cache
}

describe('the plan of a request', () => {
  it.each<[string, Asked, boolean]>([
    ['a question alone', {}, false],
    ['a question whose answer is a call, as the model has no other way', { output: { type: 'object' } }, false],
    ['a question with tools', { functions: [look] }, true],
    ['a question in a session', { sessionId: 's' }, true],
    ['a question with tools in a session, of an agent without cache', { functions: [look], cache: 'off' }, false],
  ])('of %s (%#)', async (_what, asked, isPlanned) => {
    const plan = await planOf(asked)
    expect(plan !== undefined).toBe(isPlanned)
    if (plan) expect(plan).toEqual({ key: expect.any(String), marks: ['instruction', 'previous', 'end'] })
  })

  it('has one key for a session, which does not reveal its id', async () => {
    const asked = { userId: 'ann@example.com', sessionId: 'about-money' }
    const keys = [
      await planOf(asked),
      await planOf(asked),
      await planOf({ ...asked, userId: 'bob' }),
      await planOf({ ...asked, sessionId: 'other' }),
      await planOf({ ...asked, instruction: 'Be brief.' }),
      await planOf({ ...asked, name: 'Other' }),
      await planOf({ functions: [look] }),
      await planOf({ functions: [look] }),
    ].map((plan) => plan?.key ?? '')
    expect(keys[0]).toBe(keys[1])
    expect(new Set(keys).size).toBe(keys.length - 1)
    expect(keys.every((key) => /^[\w-]{32}$/.test(key))).toBe(true)
  })

  it('has the key of the agent, where it has one', async () => {
    expect((await planOf({ sessionId: 's', cache: { key: 'library' } }))?.key).toBe('library')
  })
})

it.each([true, 'on', {}, { key: '' }, { key: 'k'.repeat(65) }, { key: 'k', ttl: '1h' }])(
  'refuses cache: %j',
  (cache) => {
    const options = { name: 'Test', model: scriptedModel([]), cache: cache as 'auto' }
    expect(() => new Agent(options)).toThrow('`cache` is "auto", "off" or { key: "…" }, a text of 1 to 64 characters.')
  },
)

describe('the warning', () => {
  const usage = (inputTokens: number, cachedInputTokens?: number): { usage: object } => {
    return { usage: { inputTokens, outputTokens: 5, ...(cachedInputTokens !== undefined && { cachedInputTokens }) } }
  }

  /** A hook that adds a tool in the last of four steps. */
  const moreTools: AgentOptions['hooks'] = {
    beforeModel(request) {
      if (request.messages.filter(({ role }) => role === 'assistant').length < 3) return
      return { ...request, tools: [...(request.tools ?? []), { name: 'new', description: '', inputSchema: {} }] }
    },
  }

  it.each([
    ['by what the provider reports', 40_210, 2_000, '38,210'],
    ['by what was sent before, where it reports nothing', 40_210, undefined, '40,210'],
  ])('says what changed and what it cost, %s', async (_how, before, cached, again) => {
    const look3 = { toolCalls: [{ name: 'look' }], ...usage(before) }
    const model = scriptedModel([look3, look3, look3, { text: 'Done.', ...usage(41_000, cached) }])
    const agent = new Agent({ name: 'Test', functions: [look], model, hooks: moreTools, guard: false })
    const { warnings } = await agent.stream('Look.').result
    expect(warnings).toEqual([`Step 4: the tools changed; ${again} tokens were read again.`])
  })

  it('is not given by an agent without a cache', async () => {
    const model = scriptedModel([calls('look'), calls('look'), calls('look'), 'Done.'])
    const agent = new Agent({ name: 'Test', functions: [look], model, hooks: moreTools, guard: false, cache: 'off' })
    expect((await agent.stream('Look.').result).warnings).toEqual([])
  })

  it('is given when the session continued while the run waited', async () => {
    const sessions = memorySessions()
    const model = scriptedModel([calls('pay'), 'Something else.', 'Paid.'])
    const agent = new Agent({ name: 'Test', functions: [pay], model, sessions })
    const options = { sessionId: 's', onApproval: 'end' } as const
    const { runId, approvals } = await agent.stream('Pay.', options).result
    await agent.chat('And what else?', options)
    const { warnings } = await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    expect(warnings).toEqual([
      expect.stringMatching(/^Step 2: other runs changed the session; \d+ tokens were read again\.$/),
    ])
  })

  it.each([
    ['was removed', 'Has an oak.', undefined],
    ['was made, in a store that does not know when the run began', undefined, 'Has an oak.'],
  ])('is given when a note %s while the run waited', async (_how, before, after) => {
    let notes: string | undefined = before
    const none = { search: async () => [], notes: async () => [], delete: async () => {} }
    const memory = () => ({ ...none, tools: [], promptNotes: async () => notes })
    const model = scriptedModel([calls('pay'), 'Paid.'])
    const agent = new Agent({ name: 'Test', functions: [pay], model, sessions: memorySessions(), memory })
    const { runId, approvals } = await agent.stream('Pay.', { sessionId: 's', onApproval: 'end' }).result
    notes = after
    const { warnings } = await agent.resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
    expect(warnings).toEqual([expect.stringMatching(/^Step 2: the notes changed; \d+ tokens were read again\.$/)])
  })
})

it('keeps a refused answer and its note in their place', async () => {
  const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const model = scriptedModel(['No number.', calls('look'), '{"n":1}'], { info: { nativeOutput: 'always' } })
  const agent = new Agent({ name: 'Test', functions: [look], model, output })
  const { warnings, finishReason } = await agent.stream('How many?').result
  expect([finishReason, warnings]).toEqual(['stop', []])
  const [, second, third] = model.requests.map(({ messages }) => messages)
  expect(second).toHaveLength(3)
  expect(third?.slice(0, 3)).toEqual(second)
})

it('keeps them while the run waits for an approval, in another agent object too', async () => {
  const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
  const model = scriptedModel(['No number.', calls('pay'), '{"n":1}'], { info: { nativeOutput: 'always' } })
  const sessions = memorySessions()
  const open = (): Agent<unknown> => new Agent<unknown>({ name: 'Test', functions: [pay], model, output, sessions })
  const { runId, approvals } = await open().stream('How many?', { sessionId: 's', onApproval: 'end' }).result
  const { warnings } = await open().resume(runId, { [approvals[0]?.approvalId ?? '']: true }).result
  expect(warnings).toEqual([])
  const [, second, third] = model.requests.map(({ messages }) => messages)
  expect(third?.slice(0, 3)).toEqual(second)
})
