import { Agent, memorySessions, Swarm } from '@agentkit/core'
import { type ScriptedTurn, scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'

const call = (name: string, input: Record<string, string> = {}): ScriptedTurn => ({ toolCalls: [{ name, input }] })

/** A desk that hands garden questions over; a member of it may be a swarm. */
function teamOf(desk: readonly ScriptedTurn[], garden: readonly ScriptedTurn[], sessions = memorySessions()) {
  const model = scriptedModel(garden)
  const gardener = new Agent({ name: 'Garden', functions: [], model })
  const gardeners = new Swarm({ name: 'Gardeners', agents: [gardener], collaboration: 'handoff' })
  const agents = [new Agent({ name: 'Desk', functions: [], model: scriptedModel(desk) }), gardeners]
  const swarm = new Swarm({ name: 'Team', agents, collaboration: 'handoff', sessions, memory: createMemory() })
  return { swarm, model, sessions }
}

const handOver = call('transfer_to_gardeners')

describe('the memory of a swarm that hands conversations over', () => {
  it('finds the messages of the user to any member, and of no other user', async () => {
    const { swarm, sessions } = teamOf(['Noted.', 'Noted.'], [])
    await swarm.chat('My apple tree is called Bert', { userId: 'ada', sessionId: 'one' })
    await swarm.chat('My apple tree is called Max', { userId: 'bob', sessionId: 'one' })
    const later = teamOf([handOver], [call('recall', { query: 'apple tree' }), 'Bert.'], sessions)
    const run = later.swarm.stream('What is it called?', { userId: 'ada', sessionId: 'two' })
    const results: unknown[] = []
    for await (const event of run)
      if (event.type === 'tool-result' && event.name === 'recall') results.push(event.output)
    const { sources, warnings } = await run.result
    expect(JSON.stringify(results)).toContain('My apple tree is called Bert')
    expect(JSON.stringify(results)).not.toContain('Max')
    expect(sources).toMatchObject([{ file: 'session/one', session: { sessionId: 'one' } }])
    expect(warnings).toEqual([])
  })

  it('has notes that each member sees', async () => {
    const { swarm, sessions } = teamOf([call('remember', { text: 'Has an apple tree.' }), 'Noted.'], [])
    await swarm.chat('I have an apple tree', { userId: 'ada', sessionId: 'one' })
    expect(await swarm.memory.notes({ userId: 'ada' })).toMatchObject([{ text: 'Has an apple tree.' }])
    const later = teamOf([handOver], ['Prune it in winter.'], sessions)
    await later.swarm.chat('When do I prune it?', { userId: 'ada', sessionId: 'two' })
    const { messages = [], tools = [] } = later.model.requests[0] ?? {}
    expect(JSON.stringify(messages)).toContain('Has an apple tree.')
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['recall', 'remember', 'forget']))
  })

  it("leaves a member's own tools and notes as they are", async () => {
    const sessions = memorySessions()
    const model = scriptedModel(['Hello.'])
    const member = new Agent({ name: 'Desk', functions: [], model, sessions, memory: createMemory({ notes: false }) })
    const options = { agents: [member], collaboration: 'handoff', sessions, memory: createMemory() } as const
    await new Swarm({ name: 'Team', ...options }).chat('Hi', { userId: 'ada', sessionId: 'one' })
    const names = model.requests[0]?.tools?.map(({ name }) => name) ?? []
    expect(names.filter((name) => name === 'recall')).toHaveLength(1)
  })

  it('has no effect in a sequence, which warns of it', async () => {
    const member = new Agent({ name: 'Desk', functions: [], model: scriptedModel(['Hello.']) })
    const swarm = new Swarm({ name: 'Team', agents: [member], collaboration: 'sequence', memory: createMemory() })
    expect((await swarm.stream('Hi').result).warnings.join()).toContain('`memory` of the swarm "Team" has no effect')
  })
})
