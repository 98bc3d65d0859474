import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { eventsOf, lastWords, linesOf, member, saying, thinking, wordsOf } from '../__fixtures__/team.ts'
import { memorySessions, Swarm, tool } from '../index.ts'

const base = { name: 'Team', functions: [] }

describe('a managed swarm', () => {
  it('gives tasks to several members in parallel, in one event stream', async () => {
    const model = saying(
      [
        ['ann', { task: 'Count.' }],
        ['bob', { task: 'Sum.' }],
      ],
      'Both are done.',
    )
    const ann = saying('Five.')
    const swarm = new Swarm({ ...base, model, agents: [member('Ann', ann), member('Bob', saying('Fifteen.'))] })
    const { events, result } = await eventsOf(swarm.stream('Analyse [1, 2, 3, 4, 5]'))
    expect(result).toMatchObject({ text: 'Both are done.', finishReason: 'stop', steps: 2 })
    expect(result.usage).toMatchObject({ inputTokens: 40, outputTokens: 20 })
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set([result.runId]))
    const lines = linesOf(events)
    expect(lines.filter((line) => line.includes('run-'))).toEqual(['team run-start', 'team run-end stop'])
    expect(lines).toContain('team/ann text-delta Five.')
    expect(lines.filter((line) => line.includes('agent-')).sort()).toEqual([
      'team/ann agent-end done',
      'team/ann agent-start',
      'team/bob agent-end done',
      'team/bob agent-start',
    ])
    expect(ann.requests[0]?.messages.map(wordsOf)).toEqual(['Count.'])
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['ann', 'bob'])
    expect(model.requests[1]?.messages.slice(-2).map(wordsOf)).toEqual(['Five.', 'Fifteen.'])
  })

  it('reports to the manager how a member failed, with its partial answer', async () => {
    const broken = thinking(() => {
      throw new Error('out of order')
    })
    const model = saying([['ann', { task: 'Try.' }]], 'Ann could not.')
    const swarm = new Swarm({ ...base, model, agents: [member('Ann', broken, { retry: { attempts: 1 } })] })
    const { events, result } = await eventsOf(swarm.stream('Go'))
    expect(result).toMatchObject({ text: 'Ann could not.', finishReason: 'stop' })
    expect(linesOf(events)).toContain('team/ann agent-end failed')
    const failure = JSON.parse(lastWords(model.requests[1] ?? { messages: [] }))
    expect(failure).toMatchObject({ status: 'failed', reason: expect.stringContaining('out of order') })
  })

  it('carries the warnings of a member that is asked twice, once', async () => {
    const ask: [string, object][] = [['ann', { task: 'Look.' }]]
    const warned = { text: 'Seen.', warnings: ['stop is ignored'] }
    const swarm = new Swarm({
      ...{ ...base, model: saying(ask, ask, 'Done.') },
      agents: [member('Ann', scriptedModel([warned, warned]))],
    })
    expect((await swarm.stream('Go').result).warnings).toEqual(['Ann: stop is ignored'])
  })

  it.each([
    ['length', 'Ann: The answer is cut off at its maximum length.'],
    ['content-filter', 'Ann: A content filter cut the answer off.'],
  ] as const)('warns of the answer of a member that ends by %s, once', async (finishReason, warning) => {
    const ask: [string, object][] = [['ann', { task: 'Look.' }]]
    const cut = { text: 'Half of', finishReason }
    const managed = new Swarm({
      ...{ ...base, model: saying(ask, ask, 'Done.') },
      agents: [member('Ann', scriptedModel([cut, cut]))],
    })
    expect((await managed.stream('Go').result).warnings).toEqual([warning])
    const line = new Swarm({ ...base, collaboration: 'sequence', agents: [member('Ann', scriptedModel([cut]))] })
    expect(await line.stream('Go').result).toMatchObject({ text: 'Half of', finishReason: 'stop', warnings: [warning] })
  })

  it('treats an empty answer as a failure', async () => {
    const model = saying([['ann', { task: 'Try.' }]], 'She said nothing.')
    const swarm = new Swarm({ ...base, model, agents: [member('Ann', saying(''), { guard: false, maxSteps: 2 })] })
    await swarm.chat('Go')
    expect(JSON.parse(lastWords(model.requests[1] ?? { messages: [] }))).toMatchObject({ status: 'failed' })
  })

  it('can be a member of another swarm', async () => {
    const inner = new Swarm({
      ...{ name: 'Inner', functions: [], model: saying([['bob', { task: 'Add.' }]], 'Inner is done.') },
      agents: [member('Bob', saying('Three.'))],
    })
    const swarm = new Swarm({ ...base, model: saying([['inner', { task: 'Do it.' }]], 'All done.'), agents: [inner] })
    const { events, result } = await eventsOf(swarm.stream('Go'))
    expect(result.text).toBe('All done.')
    expect(linesOf(events)).toContain('team/inner/bob text-delta Three.')
    expect(result.usage).toMatchObject({ inputTokens: 50 })
    expect(linesOf(events).filter((line) => line.includes('run-'))).toHaveLength(2)
  })

  it('stores a session for each member, and deletes it with its own', async () => {
    const sessions = memorySessions()
    const ann = saying('One.', 'Two.')
    const model = saying([['ann', { task: 'First.' }]], 'Done.', [['ann', { task: 'Second.' }]], 'Done again.')
    const swarm = new Swarm({ ...base, model, sessions, agents: [member('Ann', ann)], history: 'own' })
    await swarm.chat('Go', { sessionId: 's' })
    await swarm.chat('Go on', { sessionId: 's' })
    expect(ann.requests[1]?.messages.map(wordsOf)).toEqual(['First.', 'One.', 'Second.'])
    const key = { agentId: 'team/ann', userId: 'default', sessionId: 's' }
    expect((await sessions.load(key))?.messages.map(wordsOf)).toEqual(['First.', 'One.', 'Second.', 'Two.'])
    await swarm.sessions.delete({ ...key, agentId: 'team' })
    expect(await sessions.load(key)).toBeUndefined()
  })
})

describe('the messages that a member sees', () => {
  it.each([
    ['task', ['Now.']],
    ['full', ['Hello', 'Hi.', 'Go|Your task:\nNow.']],
    [{ last: 2 }, ['Go|Your task:\nNow.']],
    ['summary', ['Go|What was said before, in short:\nUser: Hello\nAssistant: Hi.\n\nYour task:\nNow.']],
  ] as const)('depends on `history`: %j', async (history, seen) => {
    const ann = saying('Yes.')
    const model = saying('Hi.', [['ann', { task: 'Now.' }]], 'Done.')
    const swarm = new Swarm({ ...base, model, agents: [member('Ann', ann)], history })
    await swarm.chat('Hello', { sessionId: 's' })
    await swarm.chat('Go', { sessionId: 's' })
    expect(ann.requests[0]?.messages.map(wordsOf)).toEqual(seen)
  })
})

describe('a conversation that is handed over', () => {
  const desk = () => saying([['transfer_to_expert', { reason: 'hard' }]], 'At the desk again.')

  it('goes to another member with all its messages, and stays there', async () => {
    const expert = saying('I am the expert.', 'Still the expert.', [['transfer_to_desk', {}]])
    const deskModel = desk()
    const swarm = new Swarm({
      ...{ ...base, collaboration: 'handoff' as const },
      agents: [member('Desk', deskModel), member('Expert', expert)],
    })
    const { events, result } = await eventsOf(swarm.stream('Hard question', { sessionId: 's' }))
    expect(result).toMatchObject({ text: 'I am the expert.', finishReason: 'stop' })
    expect(linesOf(events)).toEqual([
      ...['team run-start', 'team/desk agent-start', 'team/desk step-start', 'team/desk tool-call transfer_to_expert'],
      ...['team/desk tool-result transfer_to_expert', 'team/desk step-end', 'team/desk handoff expert'],
      ...['team/desk agent-end done', 'team/expert agent-start', 'team/expert step-start'],
      ...['team/expert text-delta I am the expert.', 'team/expert step-end', 'team/expert agent-end done'],
      'team run-end stop',
    ])
    expect(expert.requests[0]?.messages.map(wordsOf).slice(1)).toEqual([
      'Hard question',
      '[tool-call]',
      'The conversation is handed over to Expert.',
    ])
    expect(await swarm.chat('And now?', { sessionId: 's' })).toBe('Still the expert.')
    expect(await swarm.chat('Back, please', { sessionId: 's' })).toBe('At the desk again.')
  })

  it('ends when two members hand it back and forth and do nothing else', async () => {
    const ping = saying([['transfer_to_pong', {}]])
    const pong = saying([['transfer_to_ping', {}]])
    const swarm = new Swarm({
      ...{ ...base, collaboration: 'handoff' as const },
      agents: [member('Ping', ping), member('Pong', pong)],
    })
    const { result } = await eventsOf(swarm.stream('Go'))
    expect(result.finishReason).toBe('no-progress')
    expect(ping.requests.length + pong.requests.length).toBeLessThanOrEqual(13)
  })
})

describe('parallel members, and members in sequence', () => {
  it('runs all, and combines their answers', async () => {
    const model = saying('Together.')
    const ann = saying('A.')
    const swarm = new Swarm({
      ...{ ...base, model, collaboration: 'parallel' as const },
      agents: [member('Ann', ann), member('Bob', saying('B.'))],
    })
    expect(await swarm.chat('What?')).toBe('Together.')
    expect(ann.requests[0]?.messages.map(wordsOf)).toEqual(['What?'])
    expect(model.requests[0]?.messages.map(wordsOf)).toEqual(['What?', '[tool-call]|[tool-call]', 'A.', 'B.'])
  })

  it('lets each continue from the previous answer', async () => {
    const bob = saying('Better.')
    const swarm = new Swarm({
      ...{ ...base, collaboration: 'sequence' as const },
      agents: [member('Ann', saying('Draft.')), member('Bob', bob)],
    })
    const { events, result } = await eventsOf(swarm.stream('Write.'))
    expect(result.text).toBe('Better.')
    expect(bob.requests[0]?.messages.map(wordsOf)).toEqual(['Write.\n\nAnn has answered:\nDraft.'])
    expect(linesOf(events).slice(-2)).toEqual(['team text-delta Better.', 'team run-end stop'])
  })

  it('fails when a member of a sequence fails, with its error', async () => {
    const broken = thinking(() => {
      throw new Error('out of order')
    })
    const swarm = new Swarm({
      ...{ ...base, collaboration: 'sequence' as const },
      agents: [member('Ann', broken, { retry: { attempts: 1 } }), member('Bob')],
    })
    const { result } = await eventsOf(swarm.stream('Write.'))
    expect(result).toMatchObject({ finishReason: 'error', error: { code: 'provider-error' } })
    expect(result.error?.message).toContain('"ann" failed.')
  })

  it('keeps the answers of members when it is stopped, or when its own model fails', async () => {
    const routed = new Swarm({
      ...base,
      agents: [member('Ann', saying('A.'))],
      collaboration: () => 'ann',
      maxSteps: 2,
    })
    const stopped = await routed.stream('Go').result
    expect(stopped).toMatchObject({ finishReason: 'max-steps', text: 'A.' })
    const broken = thinking(() => {
      throw new Error('out of order')
    })
    const panel = new Swarm({
      ...{ ...base, model: broken, retry: { attempts: 1 }, collaboration: 'parallel' as const },
      agents: [member('Ann', saying('A.')), member('Bob', broken, { retry: { attempts: 1 } })],
    })
    const failed = await panel.stream('Go').result
    expect(failed).toMatchObject({ finishReason: 'error', text: expect.stringContaining('A.') })
    expect(failed.warnings).toEqual([expect.stringContaining('Bob failed: ')])
  })

  it('answers with the text of its members when it is stopped, and stores it', async () => {
    const again = tool({ name: 'look', description: 'Looks.', input: { type: 'object' }, execute: () => 'Nothing.' })
    const loops = saying([['look']])
    const stopped = {
      'max-steps': { collaboration: () => 'ann', maxSteps: 2 },
      'no-progress': { collaboration: () => ({ agent: 'ann', task: 'Go.' }) },
      'max-steps of a model': { collaboration: 'parallel' as const, model: loops, functions: [again], maxSteps: 2 },
      'no-progress of a model': { collaboration: 'parallel' as const, model: loops, functions: [again] },
    }
    for (const [why, options] of Object.entries(stopped)) {
      const sessions = memorySessions()
      const swarm = new Swarm({ ...base, agents: [member('Ann', saying('A.'))], sessions, ...options })
      const { result, events } = await eventsOf(swarm.stream('Go', { sessionId: 's' }))
      const text = why.includes('model') ? 'ann:\nA.' : 'A.'
      expect(result, why).toMatchObject({ finishReason: why.split(' ')[0], text })
      expect(linesOf(events), why).toContain(`team text-delta ${text}`)
      const session = await sessions.load({ agentId: 'team', userId: 'default', sessionId: 's' })
      expect(session?.messages, why).toEqual(result.messages)
      expect(wordsOf(session?.messages.at(-1)), why).toBe(text)
    }
  })

  it('runs the members that a function returns', async () => {
    const seen: string[] = []
    const swarm = new Swarm({
      ...base,
      agents: [member('Ann', saying('A.')), member('Bob', saying('B.'))],
      collaboration({ answers, last }) {
        seen.push(answers.map(({ agent, status }) => `${agent} ${status}`).join())
        if (last === undefined) return ['ann', 'bob']
        return answers.length < 3 ? { agent: 'ann', task: `Improve ${last.text}` } : undefined
      },
    })
    expect(await swarm.chat('Go')).toBe('A.')
    expect(seen).toEqual(['', 'ann done,bob done', 'ann done,bob done,ann done'])
  })
})

describe('members', () => {
  it('can be added and removed, with effect for later runs', async () => {
    const swarm = new Swarm({
      ...base,
      model: thinking(({ messages, tools = [] }) => {
        if (messages.at(-1)?.role === 'tool') return tools.map(({ name }) => name).join()
        swarm.addAgent(member('Bob'))
        return [['ann', { task: 'Now.' }]]
      }),
      agents: [member('Ann')],
    })
    expect(await swarm.chat('Go')).toBe('ann')
    swarm.removeAgent('ann')
    expect(swarm.agents.map(({ id }) => id)).toEqual(['bob'])
    expect(() => swarm.removeAgent('ann')).toThrow('No agent "ann" is in the swarm. There are: "bob".')
  })

  it.each([
    [{ agents: 'ann' }, '`agents`'],
    [{ agents: [{}] }, '`agents` is a list'],
    [{ agents: [member('Ann'), member('ann')] }, 'Two agents of the swarm have the ids'],
    [{ agents: [], collaboration: 'chaos' }, '`collaboration` is'],
    [{ agents: [], history: { last: 0 } }, '`history` is'],
    [{ agents: [member('Ann')], model: undefined }, 'Pass `model`'],
    [{ agents: [], collaboration: 'handoff', history: 'own' }, 'the whole conversation'],
    [
      {
        agents: [member('Ann')],
        functions: [tool({ name: 'ann', description: '', input: { type: 'object' }, execute: () => '' })],
      },
      'Two tools',
    ],
    [
      { agents: [member('Bob'), transferring('Ann', 'bob')], collaboration: 'handoff' },
      'A tool of "Ann" is named "transfer_to_bob"',
    ],
  ])('are checked: %#', (wrong, words) => {
    expect(() => new Swarm({ ...base, model: saying('x'), agents: [], ...(wrong as object) })).toThrow(words)
  })

  it('offer one handoff for two members with one id, to the nearer, of nested swarms', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'transfer_to_bob', input: {} }] }])
    const handoffs = { ...base, collaboration: 'handoff' as const }
    const near = member('Bob', saying('I am near.'), { description: 'The near one.' })
    const far = member('Bob', saying('I am far.'), { description: 'The far one.' })
    const inner = new Swarm({ ...handoffs, name: 'Inner', agents: [member('Ann', model), near] })
    const swarm = new Swarm({ ...handoffs, agents: [inner, far] })
    expect(await swarm.chat('Go')).toBe('I am near.')
    expect(model.requests[0]?.tools?.map(({ description }) => description)).toEqual([
      expect.stringContaining('The near one.'),
    ])
  })

  it('lose no handoff to a tool of a member of another swarm', async () => {
    const inner = new Swarm({ ...base, name: 'Inner', collaboration: 'handoff', agents: [transferring('Ann', 'bob')] })
    const swarm = new Swarm({ ...base, collaboration: 'handoff', agents: [inner, member('Bob')] })
    const { error } = await swarm.stream('Go').result
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('"transfer_to_bob"') })
  })

  it('may not include the swarm itself at any depth', () => {
    const inner = new Swarm({ name: 'Inner', model: saying('x'), agents: [member('Ann')] })
    const swarm = new Swarm({ ...base, model: saying('x'), agents: [inner] })
    expect(() => inner.addAgent(swarm)).toThrow('cannot be a member of itself')
    expect(() => swarm.addAgent(swarm)).toThrow('cannot be a member of itself')
  })
})

/** A member with a tool named as the handoff to another one. */
function transferring(name: string, id: string) {
  const transfer = { name: `transfer_to_${id}`, description: 'Transfers.', input: { type: 'object' } }
  return member(name, saying('x'), { functions: [tool({ ...transfer, execute: () => 'transferred' })] })
}
