import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { call, hostile, isRunning, processIds, tempFolder } from './__fixtures__/servers.ts'
import { mcp } from './mcp.ts'
import type { McpOptions } from './options.ts'

type Case = readonly [name: string, outcome: string | RegExp, options?: Partial<McpOptions> & { tool?: string }]

/**
 * A case of the hostile server, what the model sees of its call or why none was made, and the tool that it calls. The limits
 * are long enough for a process to begin beside those of all other cases.
 */
const cases: readonly Case[] = [
  ['names that clash', 'connect: invalid-config'],
  ['the same name twice', 'connect: invalid-config'],
  ['an empty name', 'hello'],
  ['a name of 10,000 characters', 'hello', { tool: 'a'.repeat(64) }],
  ['a name with control characters', 'hello', { tool: 'e__2Jcho_' }],
  ['the name __proto__', 'hello'],
  ['the name constructor', 'hello', { tool: 'constructor' }],
  ['the name of a number', 'hello', { tool: 'good' }],
  ['a description of 1 MB', 'hello'],
  ['a description that is not text', 'hello', { tool: 'good' }],
  ['instructions in the description', 'hello'],
  ['1,000 tools', 'hello', { tool: 'echo_0' }],
  ['500,000 tools', 'hello', { timeoutMs: 60_000 }],
  ['no list of tools', 'connect: network'],
  ['a list of nothing', 'hello', { tool: 'good' }],
  ['a schema that is not an object', 'hello', { tool: 'good' }],
  ['a schema of 100 KB', 'hello', { tool: 'good' }],
  // Whether the SDK reads so deep a schema depends on the room that is left on the stack.
  ['a schema of 1,000 levels', /^(?:hello|connect: network)$/, { tool: 'good' }],
  ['a schema that refers to itself', 'hello', { tool: 'good' }],
  ['a schema whose parts refer to each other', 'hello', { tool: 'good' }],
  ['a reference to nowhere', 'hello', { tool: 'good' }],
  ['a schema with a wrong type', 'hello', { tool: 'good' }],
  ['a schema with a wrong pattern', 'hello'],
  ['a slow pattern for what the model writes', /^a+!$/],
  ['a slow pattern for what it returns', /a+!/],
  ['annotations that are no object', 'hello', { tool: 'good' }],
  ['an unknown version', 'connect: network'],
  ['a list without end', 'hello', { tool: 't0' }],
  ['a page that repeats', 'hello', { tool: 'other' }],
  ['a last page whose cursor is null', 'hello', { tool: 'other' }],
  ['says nothing', 'connect: timeout', { timeoutMs: 5_000 }],
  [
    'a result of 10 MB',
    /^error:.*lost its connection \(The answer has more than 10485760 bytes\)/,
    { timeoutMs: 60_000 },
  ],
  ['a result of 1 MB', /^x{1000}/],
  ['100,000 blocks', '[99000 more parts are left out]'],
  ['an answer that never comes', /^error:.*no answer within 5000 ms/, { timeoutMs: 5_000 }],
  ['a flood of progress', 'done'],
  ['progress without end', /^error:.*did not finish within 8000 ms/, { timeoutMs: 5_000 }],
  ['progress of another call', 'done'],
  ['a death in mid-call', /^error:.*lost its connection/],
  ['a kill in mid-call', /^error:.*lost its connection/],
  ['half a line and a death', /^error:.*lost its connection/],
  ['an id that is not ours', 'done'],
  ['an id as text', /done|^error:/, { timeoutMs: 5_000 }],
  ['an id that is an object', 'done'],
  ['the answer twice', 'first'],
  ['both a result and an error', /done|^error:/, { timeoutMs: 5_000 }],
  ['a result that is not an object', /^error:/, { timeoutMs: 5_000 }],
  ['a content that is not a list', /^error:.*may have been executed, but its answer does not follow the protocol/],
  ['a block of an unknown type', /^error:|unknown type/],
  ['an image that is none', '[text/html, 3 bytes, as an image]'],
  ['an error of 1 MB', /^error: .*refused the call: x{100}/],
  ['an error with many long addresses', /It asked to open (http:\S{1990,2000} ?,? ?){4}\.$/],
  ['an error without a message', /^error:/, { timeoutMs: 5_000 }],
  ['an error with a key', /^error: .*refused the call/],
  ['lines that are no JSON', 'done'],
  ['a line of 1 MB that is not JSON', 'done'],
  // The limit is reached only after seconds, because many tests run at the same time.
  ['a line without an end', /^error:.*lost its connection/, { timeoutMs: 60_000 }],
  ['a flood of notifications', 'done'],
  ['requests for a sample', 'refused error,error'],
  ['a flood of requests for input', /^done(\n\[The MCP server "hostile" requested input, which was declined: .*){12}$/],
  ['a request for input outside of a call', 'hello'],
  ['a request to open an address', /^done\n.*It asked to open http:\/\/127\.0\.0\.1:1\/login/],
  ['a request for a tool that does not exist', 'done'],
  ['structured content of 100 levels', /properties/],
  ['output on stderr without end', 'done'],
  ['ignores the end of its input and signals', 'hello'],
]

describe('a hostile MCP server', () => {
  beforeAll(() => {
    vi.stubEnv('CI', '')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterAll(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  // At once: many wait for a time limit.
  it.concurrent.each(cases.map(([name, outcome, options = {}]) => ({ name, outcome, options })))(
    'with $name ends neither process nor run',
    async ({ name, outcome, options }) => {
      using temp = tempFolder()
      const { tool = 'echo', ...given } = options
      const found = await answerOf({ ...hostile(name, temp.folder), ...given }, tool)
      if (typeof outcome === 'string') expect(found).toBe(outcome)
      else expect(found).toMatch(outcome)
      expect(found).not.toContain('sk-proj-')
      // What an error may have of its server is bounded, whatever the server sends.
      if (found.startsWith('error:')) expect(found.length).toBeLessThan(12_000)
      const notes = found.split('\n').filter((line) => line.startsWith('[The MCP server'))
      expect(notes).toEqual([...new Set(notes)])
      if (name === 'an error of 1 MB') expect(found.length).toBeLessThan(3_000)
      await vi.waitFor(() => expect(processIds(temp.folder).filter(isRunning)).toEqual([]), { timeout: 60_000 })
    },
  )

  it('whose process lives on after a line that was too long is started again by the next call', async () => {
    using temp = tempFolder()
    const tools = await mcp(hostile('a long line after the answer', temp.folder))
    expect(await call(tools, 'echo', { text: 'then too much' })).toBe('hello')
    const inputEnded = join(temp.folder, 'processes.log.ended')
    await vi.waitFor(() => expect(existsSync(inputEnded)).toBe(true), { timeout: 60_000, interval: 5 })
    expect(await call(tools, 'echo', { text: 'Again.' })).toBe('hello')
    await tools.close()
    expect(new Set(processIds(temp.folder)).size).toBeGreaterThan(1)
  })
})

/** The text of one call for the model. Errors begin with "error:", errors of the connection with "connect:". */
async function answerOf(options: McpOptions, tool: string): Promise<string> {
  const connected = await mcp(options).catch((error: { code: string }) => error.code)
  if (typeof connected === 'string') return `connect: ${connected}`
  const isSlow = caseOf(options) === 'a slow pattern for what the model writes'
  const input = { text: isSlow ? `${'a'.repeat(40)}!` : 'hello' }
  const model = scriptedModel([{ toolCalls: [{ name: tool, input }] }, { text: 'Done.' }])
  const agent = new Agent({
    name: 'Clerk',
    model,
    functions: [connected],
    toolTimeoutMs: isEndless(options) ? 8_000 : 60_000,
  })
  const result = await agent.stream('Call it.').result
  await agent.close()
  expect(result).toMatchObject({ finishReason: 'stop', text: 'Done.' })
  const message = result.messages.find(({ role }) => role === 'tool')
  if (message?.role !== 'tool') throw new Error('The tool was not called.')
  const content = typeof message.content === 'string' ? message.content : partsText(message.content)
  return message.isError ? `error: ${content}` : content
}

function caseOf({ args = [] }: McpOptions): string | undefined {
  return args[1]
}

function isEndless(options: McpOptions): boolean {
  return caseOf(options) === 'progress without end'
}

function partsText(parts: readonly { type: string; text?: string }[]): string {
  return parts.map((part) => part.text ?? part.type).join('\n')
}
