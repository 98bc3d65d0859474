import { scriptedModel } from '@agentkit/testing'
import { tool as aiTool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Agent, type AgentOptions, functionsOf, tool, toolOfFunction } from '../index.ts'
import { serverOf, serverTool } from './server-tool.ts'

const inputSchema = z.object({ amount: z.number() })
const pay = aiTool({ description: 'Pays.', inputSchema, execute: ({ amount }) => `paid ${amount}` })
const look = aiTool({ description: 'Looks.', inputSchema, execute: () => 'seen' })
const shop = { pay, look }

async function approvalsOf(functions: ReturnType<typeof functionsOf>): Promise<unknown[]> {
  const calls = ['pay', 'look'].flatMap((name) => [1, 100].map((amount) => ({ name, input: { amount } })))
  const model = scriptedModel([{ toolCalls: calls }, 'Done.'])
  const { approvals } = await new Agent({ name: 'Clerk', functions: [functions], model }).stream('Go').result
  return approvals.map(({ name, input }) => `${name} ${(input as { amount: number }).amount}`)
}

it('takes a tool that is listed twice as one, such as a function that a module exports by two names', async () => {
  const own = tool({ name: 'own', description: 'd', input: inputSchema, execute: () => 1 })
  const compiled = Object.assign(() => 1, { [toolOfFunction]: { ...own, name: 'compiled' } })
  const model = scriptedModel(['Done.'])
  const agent = new Agent({ name: 'Test', functions: [own, compiled, [own, [compiled]]], model })
  await agent.chat('Hi')
  expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['own', 'compiled'])
  const other = { ...own }
  expect(() => new Agent({ name: 'Test', functions: [own, other], model })).toThrow('Two tools are named "own"')
})

describe('functionsOf()', () => {
  it('returns the tools of a set, a list or one tool', () => {
    const own = tool({ name: 'own', description: 'd', input: inputSchema, execute: () => 1 })
    expect(functionsOf(shop).map(({ name }) => name)).toEqual(['pay', 'look'])
    expect(functionsOf([own, [shop]]).map(({ name }) => name)).toEqual(['own', 'pay', 'look'])
    expect(functionsOf(own)).toEqual([own])
  })

  it.each<[string, Parameters<typeof functionsOf>[1], string[]]>([
    ['of named tools', { needsApproval: ['pay'] }, ['pay 1', 'pay 100']],
    ['of all', { needsApproval: true }, ['pay 1', 'pay 100', 'look 1', 'look 100']],
    ['of none', { needsApproval: false }, []],
    ['of none, by default', {}, []],
    [
      'by a rule',
      { needsApproval: ({ name }, input) => name === 'pay' && (input as { amount: number }).amount > 10 },
      ['pay 100'],
    ],
  ])('adds approvals: %s', async (_which, options, expected) => {
    expect(await approvalsOf(functionsOf(shop, options))).toEqual(expected)
  })

  it('overrides no field of the tool itself', async () => {
    const careful = { pay: { ...pay, needsApproval: ({ amount }: { amount: number }) => amount > 50 }, look }
    expect(await approvalsOf(functionsOf(careful, { needsApproval: false }))).toEqual(['pay 100'])
    expect(await approvalsOf(functionsOf(careful, { needsApproval: ['look'] }))).toEqual([
      'pay 100',
      'look 1',
      'look 100',
    ])
    const rule = vi.fn(() => false)
    expect(await approvalsOf(functionsOf(careful, { needsApproval: rule }))).toEqual(['pay 100'])
    expect(rule).toHaveBeenCalledTimes(3)
  })

  it('keeps the other fields of a tool', () => {
    const input = { type: 'object' }
    const said = { timeoutMs: 5, idempotent: true, keepResult: true }
    const own = tool({ name: 'own', description: 'd', input, ...said, execute: () => 1 })
    const noted = { ...own, name: 'noted', instruction: 'Note it.' }
    const known = serverTool({ ...own, name: 'known' }, 'files')
    const [first, second, third] = functionsOf([own, noted, known], { needsApproval: true })
    expect(first).toMatchObject({ ...said, needsApproval: true })
    expect(second).toMatchObject({ instruction: 'Note it.', needsApproval: true })
    expect(third && serverOf(third)).toBe('files')
  })

  it('leaves tools of the client as they are: their calls wait anyway', async () => {
    const locate = tool({ name: 'locate', description: 'd', input: { type: 'object' }, client: true })
    const functions = [functionsOf(locate, { needsApproval: true })]
    const model = scriptedModel([{ toolCalls: [{ name: 'locate', input: {} }] }, 'Done.'])
    const { approvals } = await new Agent({ name: 'Clerk', functions, model }).stream('Go').result
    expect(approvals).toMatchObject([{ name: 'locate', kind: 'client-tool' }])
  })

  it.each([true, false])(
    'closes a connection with its agent, unless another agent has it: %s',
    async (needsApproval) => {
      const close = vi.fn(async () => {})
      const own = tool({ name: 'own', description: 'd', input: { type: 'object' }, execute: () => 1 })
      const list = Object.assign([own], { close })
      const agentOf = (functions: AgentOptions['functions']): Agent =>
        new Agent({ name: 'Clerk', functions, model: scriptedModel(['a']) } as AgentOptions)
      const [one, other] = [agentOf([functionsOf(list, { needsApproval })]), agentOf([list])]
      await one.close()
      expect(close).not.toHaveBeenCalled()
      await other.close()
      await agentOf([functionsOf([functionsOf(list)], { needsApproval })]).close()
      expect(close).toHaveBeenCalledTimes(2)
    },
  )

  it.each<[string, unknown, string]>([
    [
      'a name that no tool has',
      { needsApproval: ['pays'] },
      '"pays", which is not a tool of the set. Did you mean "pay"?',
    ],
    ['a name like none', { needsApproval: ['transfer_money'] }, 'There are: pay, look.'],
    ['another value', { needsApproval: 'pay' }, '`needsApproval` is true, false, a list'],
    ['another option', { needApproval: true }, 'Unknown option `needApproval`. Did you mean `needsApproval`?'],
  ])('refuses %s: a tool would lose its safeguard', (_what, options, message) => {
    expect(() => functionsOf(shop, options as never)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })
})

describe('lists in `functions`', () => {
  const model = scriptedModel(['a'])
  it('are elements too, within others', () => {
    const agent = new Agent({ name: 'Clerk', functions: [[[shop]], []], model })
    expect(agent.tools.map(({ name }) => name)).toEqual(['pay', 'look'])
  })

  it('that hold themselves are refused', () => {
    const list: unknown[] = []
    list.push(list)
    expect(() => new Agent({ name: 'Clerk', functions: list as never, model })).toThrow('Does a list hold itself?')
  })

  it('are named in errors by the place of the element', () => {
    expect(() => new Agent({ name: 'Clerk', functions: [[shop, 7 as never]], model })).toThrow(
      'functions[0][1] is neither a function nor a tool',
    )
  })
})
