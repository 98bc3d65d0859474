import { describe, expect, it } from 'vitest'
import { refuseUnhandledRejections } from '../__fixtures__/rejections.ts'
import {
  callingThen,
  lastWords,
  member,
  paying,
  saying,
  type ThinkingModel,
  thinking,
  wordsOf,
} from '../__fixtures__/team.ts'
import {
  type Collaboration,
  type InputPart,
  type Message,
  type ModelRequest,
  memorySessions,
  Swarm,
  type SwarmOptions,
  validateTranscript,
} from '../index.ts'

refuseUnhandledRejections()

const session = { sessionId: 's' }
const picture: InputPart[] = [
  { type: 'text', text: 'What is in it?' },
  { type: 'image', base64: 'AAAA', mediaType: 'image/png' },
]
const histories: NonNullable<SwarmOptions['history']>[] = ['task', 'summary', 'full', 'own', { last: 1 }, { last: 3 }]
const kinds: [string, Collaboration][] = [
  ['manager', 'manager'],
  ['parallel', 'parallel'],
  ['sequence', 'sequence'],
  ['a function', ({ answers }) => ['ann', 'bob', 'ann'][answers.length]],
]
const cases = kinds.flatMap(([kind, collaboration]) =>
  histories.map((history) => [`${JSON.stringify(history)}, ${kind}`, history, collaboration] as const),
)

/** Adds text to its calls, as many models do. */
function manager(): ThinkingModel {
  const model = thinking(({ messages, tools = [] }) => {
    if (messages.at(-1)?.role === 'tool' || tools.length === 0) return 'All is done.'
    return tools.map(({ name }) => [name, { task: `Look, ${name}.` }])
  })
  const { stream } = model
  return Object.assign(model, {
    async *stream(request: ModelRequest, signal: AbortSignal) {
      for await (const event of stream(request, signal)) {
        if (event.type === 'tool-call') yield { type: 'text-delta' as const, text: 'Let me ask. ' }
        const { message } = event.type === 'finish' ? event : { message: undefined }
        const text = { type: 'text' as const, text: 'Let me ask.' }
        const calls = message?.content.some(({ type }) => type === 'tool-call')
        yield message && calls && event.type === 'finish'
          ? { ...event, message: { ...message, content: [text, ...message.content] } }
          : event
      }
    },
  })
}

const hasImage = ({ messages }: { messages: readonly Message[] }): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'image'))

describe('every history of a member is valid for the models of all providers', () => {
  it.each(cases)('%s', async (_what, history, collaboration) => {
    const [ann, bob] = [thinking(() => 'A cat. '.repeat(200)), saying('A dog.')]
    const model = manager()
    const inner = new Swarm({ name: 'Inner', model: manager(), agents: [member('Cas')], history: 'full' })
    const swarm = new Swarm({
      ...{ name: 'Team', model, collaboration, history },
      agents: [member('Ann', ann), member('Bob', bob), inner],
    })
    for (const question of ['Hello', picture, 'And now?', picture]) {
      const result = await swarm.stream(question, session).result
      expect(result.error).toBeUndefined()
    }
    for (const { messages } of [...ann.requests, ...bob.requests, ...model.requests]) {
      expect(validateTranscript(messages)).toEqual([])
      expect(messages.find(({ role }) => role !== 'system')?.role).toBe('user')
      expect(messages.at(-1)?.role).not.toBe('assistant')
    }
    const last = ann.requests.at(-1) ?? { messages: [] }
    // A manager writes its tasks as text; in other collaborations images are part of the question.
    const seesAll = history === 'full' || history === 'summary'
    if (collaboration !== 'manager' || seesAll) expect(hasImage(last)).toBe(true)
    if (history === 'task' && collaboration === 'manager') expect(hasImage(last)).toBe(false)
  })
})

describe('a summary', () => {
  const long = 'We spoke of cats and dogs. '.repeat(200)
  const team = (model: ThinkingModel, options: Partial<SwarmOptions> = {}) => {
    const members = [saying('A.'), saying('B.')]
    const agents = members.map((each, index) => member(['Ann', 'Bob'][index] ?? '', each))
    return { members, swarm: new Swarm({ name: 'Team', model, agents, history: 'summary', ...options }) }
  }
  /** Requests for summaries have no tools. */
  const summarising = () =>
    thinking(({ messages, tools = [] }) => {
      if (tools.length === 0) return 'In short: pets.'
      const calls = tools.map(({ name }): [string, object] => [name, { task: 'Go on.' }])
      return messages.at(-1)?.role === 'tool' ? 'Done.' : calls
    })
  const summaries = ({ requests }: ThinkingModel): number =>
    requests.filter(({ tools = [] }) => tools.length === 0).length
  const earlier: Message[] = [
    { role: 'user', content: long },
    { role: 'assistant', content: [{ type: 'text', text: long }] },
  ]

  it('is made once per run for all members, and counts in the budget', async () => {
    const model = summarising()
    const { swarm, members } = team(model)
    const result = await swarm.stream('Go', { history: earlier }).result
    expect(result.finishReason).toBe('stop')
    expect(summaries(model)).toBe(1)
    for (const { requests } of members) expect(wordsOf(requests[0]?.messages[0])).toContain('In short: pets.')
    expect(result.usage.inputTokens).toBe(10 * (model.requests.length + 2))
    const bounded = await team(summarising()).swarm.stream('Go', { history: earlier, budget: { modelCalls: 1 } }).result
    expect(bounded.finishReason).toBe('budget')
  })

  it.each<Collaboration>(['sequence', ({ answers }) => ['ann', 'bob'][answers.length]])(
    'that the budget does not allow ends a swarm without a model in "budget"',
    async (collaboration) => {
      const { swarm, members } = team(summarising(), { collaboration })
      const result = await swarm.stream('Go', { history: earlier, budget: { modelCalls: 0 } }).result
      expect(result).toMatchObject({ finishReason: 'budget' })
      expect(members.flatMap(({ requests }) => requests)).toEqual([])
    },
  )

  it('that exceeds the budget is reported to a routing function as `budget`', async () => {
    const seen: (string | undefined)[] = []
    const collaboration: Collaboration = ({ last }) => {
      seen.push(last?.status)
      return last ? undefined : 'ann'
    }
    await team(summarising(), { collaboration }).swarm.stream('Go', { history: earlier, budget: { modelCalls: 0 } })
      .result
    expect(seen).toEqual([undefined, 'budget'])
  })

  it('is made once also when the run was suspended in between', async () => {
    const sessions = memorySessions()
    const model = thinking(({ messages, tools = [] }) => {
      if (tools.length === 0) return 'In short: pets.'
      const results = messages.filter(({ role }) => role === 'tool').length
      return results === 2 ? 'Done.' : [[['ann', 'bob'][results] ?? '', { task: 'Go on.' }]]
    })
    const ann = member('Ann', callingThen([['pay', { amount: 1 }]], 'Paid.'), { functions: [paying([])] })
    const make = () =>
      new Swarm({ name: 'Team', model, sessions, history: 'summary', agents: [ann, member('Bob', saying('B.'))] })
    const waiting = await make().stream('Go', { ...session, history: earlier }).result
    const decisions = Object.fromEntries(waiting.approvals.map(({ approvalId }) => [approvalId, true as const]))
    expect(await make().resume(waiting.runId, decisions).result).toMatchObject({ text: 'Done.' })
    expect(summaries(model)).toBe(1)
  })

  it('fits the window of a small model, and passes the beforeModel hook', async () => {
    const model = Object.assign(summarising(), { info: { contextWindow: 4_000, maxOutputTokens: 200 } })
    const seen: string[] = []
    const hooks = { beforeModel: (request: ModelRequest) => void seen.push(lastWords(request)) }
    const { swarm } = team(model, { hooks })
    const history: Message[] = Array.from({ length: 40 }, () => earlier).flat()
    expect((await swarm.stream('Go', { history }).result).finishReason).toBe('stop')
    const summaries = seen.filter((words) => words.includes('Write the new summary'))
    expect(summaries.length).toBeGreaterThan(0)
    for (const words of summaries) expect(words.length).toBeLessThan(16_000)
  })
})
