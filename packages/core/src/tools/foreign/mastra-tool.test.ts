import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../index.ts'

/** What `createTool` of Mastra makes: an object of a class, whose fields look like those of an AI SDK tool. */
class Tool {
  declare readonly id: string
  declare readonly description: string
  declare readonly inputSchema?: unknown
  declare readonly execute?: (input: { id: string }, context: object) => Promise<unknown>
  constructor(options: object) {
    Object.assign(this, { requireApproval: false, suspendSchema: undefined, outputSchema: undefined }, options)
  }
}

function removal(more: object = {}) {
  const execute = vi.fn(async ({ id }: { id: string }) => `${id} is removed`)
  const inputSchema = z.object({ id: z.string() })
  return { execute, remove: new Tool({ id: 'remove', description: 'Removes.', inputSchema, execute, ...more }) }
}

function agentOf(remove: Tool, id = 'a') {
  const model = scriptedModel([{ toolCalls: [{ name: 'remove', input: { id } }] }, 'Done.'])
  return new Agent({ name: 'Clerk', functions: [{ remove }], model })
}

describe('a tool of Mastra in a tool set', () => {
  it('is called with its input', async () => {
    const { remove, execute } = removal()
    expect(await agentOf(remove).chat('Remove a')).toBe('Done.')
    expect(execute).toHaveBeenCalledWith({ id: 'a' }, expect.anything())
  })

  it.each([
    ['its `requireApproval`', { requireApproval: true }],
    ['its `requireApproval`, with the schema of its output', { requireApproval: true, outputSchema: z.string() }],
    ['a rule', { requireApproval: ({ id }: { id: string }) => id === 'a' }],
    ['the rule of an MCP server', { requireApproval: true, needsApprovalFn: async () => true }],
  ])('waits for approval by %s', async (_, more) => {
    const { remove, execute } = removal(more)
    const agent = agentOf(remove)
    const { finishReason, runId, approvals } = await agent.stream('Remove a').result
    expect(finishReason).toBe('approval')
    expect(execute).not.toHaveBeenCalled()
    const decisions = Object.fromEntries(approvals.map(({ approvalId }) => [approvalId, true as const]))
    expect((await agent.resume(runId, decisions).result).text).toBe('Done.')
    expect(execute).toHaveBeenCalledOnce()
  })

  it('does not wait where its rule returns false', async () => {
    const rule = ({ id }: { id: string }): boolean => id === 'a'
    const { remove, execute } = removal({ requireApproval: rule, needsApprovalFn: rule })
    expect(await agentOf(remove, 'b').chat('Remove b')).toBe('Done.')
    expect(execute).toHaveBeenCalledOnce()
  })

  it('is refused with a misspelt rule, as is one of ours', () => {
    const problem = 'Tool "remove": `requiresApproval` is unknown. The rule for approvals is `needsApproval`.'
    const { remove } = removal({ requiresApproval: true })
    expect(() => agentOf(remove)).toThrow(problem)
    const named: object = { ...remove, name: 'remove' }
    expect(() => new Agent({ name: 'Clerk', functions: [named as never], model: scriptedModel([]) })).toThrow(problem)
  })

  it.each(['suspendSchema', 'requestContextSchema'])('is refused with a `%s`', (field) => {
    const { remove } = removal({ [field]: z.object({}) })
    expect(() => agentOf(remove)).toThrow(`Tool "remove": \`${field}\``)
  })
})
