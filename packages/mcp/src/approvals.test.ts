import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, oldServer } from './__fixtures__/sdk-servers.ts'
import { mcp } from './mcp.ts'
import type { McpOptions, McpToolInfo } from './options.ts'

let server: HttpServer
beforeAll(async () => {
  server = await oldServer()
})
afterAll(() => server.close())

/** Why a run ended whose model calls one tool. */
async function endOf(tool: string, options: Partial<McpOptions>): Promise<string> {
  const tools = await mcp({ url: server.url, pins: false, ...options })
  const input = tool.endsWith('remove') ? { file: 'a.txt' } : { text: 'hello' }
  const model = scriptedModel([{ toolCalls: [{ name: tool, input }] }, 'Done.'])
  const agent = new Agent({ name: 'Clerk', functions: [tools], model })
  const { finishReason } = await agent.stream('Do it.').result
  await agent.close()
  return finishReason
}

describe('`needsApproval`', () => {
  it.each<[needsApproval: McpOptions['needsApproval'], tool: string, end: string, prefix?: string]>([
    [undefined, 'echo', 'stop'],
    [undefined, 'remove', 'approval'],
    [true, 'echo', 'approval'],
    [false, 'remove', 'stop'],
    [['echo'], 'echo', 'approval'],
    // The list is all that waits, whatever the server says of its tools.
    [['echo'], 'remove', 'stop'],
    // By the name at the server, and by the name that the agent has for it.
    [['echo'], 'desk_echo', 'approval', 'desk'],
    [['desk_echo'], 'desk_echo', 'approval', 'desk'],
  ])('%j has a call of %s end the run by %s', async (needsApproval, tool, end, prefix) => {
    expect(
      await endOf(tool, { ...(needsApproval !== undefined && { needsApproval }), ...(prefix && { prefix }) }),
    ).toBe(end)
  })

  it('as a function decides by the tool, as the server describes it, and by the input', async () => {
    const asked: [McpToolInfo, unknown][] = []
    const needsApproval = async (tool: McpToolInfo, input: unknown): Promise<boolean> => {
      asked.push([tool, input])
      return tool.annotations.destructiveHint !== true
    }
    expect(await endOf('desk_echo', { needsApproval, prefix: 'desk' })).toBe('approval')
    expect(await endOf('remove', { needsApproval })).toBe('stop')
    expect(asked).toEqual([
      [{ name: 'desk_echo', description: 'Returns the text.', annotations: {} }, { text: 'hello' }],
      [{ name: 'remove', description: 'Removes a file.', annotations: { destructiveHint: true } }, { file: 'a.txt' }],
    ])
  })
})
