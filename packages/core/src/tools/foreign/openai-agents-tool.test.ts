import { scriptedModel } from '@agentkit/testing'
import { hostedMcpTool, tool as openaiTool } from '@openai/agents-core'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { agentWith, resultsOf, runWithTools } from '../../__fixtures__/run-with-tools.ts'
import { Agent } from '../../index.ts'

type Options = { needsApproval?: boolean }

const parameters = z.object({ city: z.string(), note: z.string().nullable().default(null) })
const weather = openaiTool({
  name: 'weather',
  description: 'The weather.',
  parameters,
  execute: async ({ city, note }) => ({ city, note }),
})

describe('a tool of the OpenAI Agents SDK', () => {
  it('is an element of functions', async () => {
    const input = { city: 'Oslo', note: null }
    const { tools, results } = await runWithTools([weather], { name: 'weather', input }, { name: 'weather', input: {} })
    expect(tools).toMatchObject([{ name: 'weather', description: 'The weather.', inputSchema: { type: 'object' } }])
    expect(results).toEqual(['{"city":"Oslo","note":null}', { error: expect.stringContaining('do not fit') }])
  })

  it('receives the run, the signal and the call', async () => {
    const execute = vi.fn((_input: unknown, _context: unknown, _details: unknown) => 'ok')
    const act = openaiTool({ name: 'act', description: 'Acts.', parameters: z.object({}), execute })
    await runWithTools([act], { name: 'act' })
    expect(execute.mock.calls[0]?.[1]).toMatchObject({ context: { userId: 'ada', runId: expect.any(String) } })
    expect(execute.mock.calls[0]?.[2]).toMatchObject({
      signal: expect.any(AbortSignal),
      toolCall: { callId: expect.any(String), name: 'act', arguments: '{}' },
    })
  })

  it.each<[string, Options, number]>([
    ['always', { needsApproval: true }, 1],
    ['never', { needsApproval: false }, 0],
    ['never, as by default', {}, 0],
  ])('needs approval %s', async (_when, options, count) => {
    const act = openaiTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({}),
      execute: () => 'ok',
      ...options,
    })
    expect((await runWithTools([act], { name: 'act' })).result.approvals).toHaveLength(count)
  })

  it('needs approval by a rule, which receives the call', async () => {
    const needsApproval = vi.fn(async (_context: unknown, { city }: { city: string }, _id?: string) => city === 'Oslo')
    const act = openaiTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({ city: z.string() }),
      needsApproval,
      execute: () => 'ok',
    })
    const { result } = await runWithTools(
      [act],
      { name: 'act', input: { city: 'Oslo' } },
      { name: 'act', input: { city: 'Rome' } },
    )
    expect(result.approvals.map(({ input }) => input)).toEqual([{ city: 'Oslo' }])
    expect(needsApproval.mock.calls[0]?.[2]).toEqual(expect.any(String))
  })

  it('is offered to the model while it is enabled', async () => {
    let isOn = false
    const isEnabled = vi.fn(
      ({ runContext }: { runContext: { context: unknown } }) => Boolean(runContext.context) && isOn,
    )
    const act = openaiTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({}),
      isEnabled,
      execute: () => 'ok',
    })
    const never = openaiTool({
      name: 'never',
      description: 'd',
      parameters: z.object({}),
      isEnabled: false,
      execute: () => 'ok',
    })
    const model = scriptedModel([{ toolCalls: [{ name: 'act' }] }, 'Done.', 'Again.'])
    const agent = new Agent({ name: 'Test', functions: [act, never], model })
    const results = resultsOf(await agent.stream('Go', { userId: 'ada' }).result)
    expect(model.requests[0]?.tools ?? []).toEqual([])
    expect(results).toEqual([{ error: expect.stringContaining('There is no tool named "act"') }])
    isOn = true
    await agent.stream('Again').result
    expect(model.requests[2]?.tools?.map(({ name }) => name)).toEqual(['act'])
    expect(isEnabled.mock.calls[0]?.[0]).toMatchObject({ runContext: { context: { userId: 'ada' } } })
  })

  it('is not offered when its rule fails, and a warning says so', async () => {
    const isEnabled = (): never => {
      throw new Error('no database')
    }
    const act = openaiTool({
      name: 'act',
      description: 'Acts.',
      parameters: z.object({}),
      isEnabled,
      execute: () => 'ok',
    })
    const { tools, result } = await runWithTools([act])
    expect(tools).toEqual([])
    expect(result.warnings).toEqual(['The run has no tool "act", whose `isEnabled` failed: no database'])
  })

  it('ends a call after its own time', async () => {
    const act = openaiTool({
      ...{ name: 'act', description: 'Acts.', parameters: z.object({}), timeoutMs: 20 },
      execute: () => new Promise<string>(() => {}),
    })
    expect((await runWithTools([act], { name: 'act' })).results).toEqual([{ error: expect.stringContaining('20') }])
  })

  it('may return texts, images and files', async () => {
    const act = openaiTool({
      ...{ name: 'act', description: 'Acts.', parameters: z.object({}) },
      execute: () => [
        { type: 'text' as const, text: 'See:' },
        { type: 'image' as const, image: { data: Uint8Array.of(104, 105), mediaType: 'image/png' } },
        { type: 'image' as const, image: 'https://images.example/a.png' },
        { type: 'file' as const, file: { data: 'aGk=', mediaType: 'application/pdf', filename: 'a.pdf' } },
      ],
    })
    expect((await runWithTools([act], { name: 'act' })).results).toEqual([
      [
        { type: 'text', text: 'See:' },
        { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
        { type: 'image', url: 'https://images.example/a.png' },
        { type: 'text', text: expect.stringContaining('"a.pdf"') },
      ],
    ])
  })

  it('reports a failure in its own words, or as an error where it has none', async () => {
    const fails = (): never => {
      throw new Error('It broke.')
    }
    const common = { description: 'Acts.', parameters: z.object({}), execute: fails }
    const own = openaiTool({ ...common, name: 'own', errorFunction: () => 'Try later.' })
    const plain = openaiTool({ ...common, name: 'plain', errorFunction: null })
    const { results } = await runWithTools([own, plain], { name: 'own' }, { name: 'plain' })
    expect(results).toEqual(['Try later.', { error: 'It broke.' }])
  })

  const guardrail = { name: 'guard', run: async () => ({ behavior: { type: 'allow' as const } }) }
  const common = { name: 'act', description: 'Acts.', parameters: z.object({}), execute: () => 'ok' }
  it.each<[string, unknown, string]>([
    ['input guardrails', openaiTool({ ...common, inputGuardrails: [guardrail] }), 'Tool "act": `inputGuardrails`'],
    ['output guardrails', openaiTool({ ...common, outputGuardrails: [guardrail] }), 'Tool "act": `outputGuardrails`'],
    ['callers that are programs', openaiTool({ ...common, allowedCallers: ['programmatic'] }), '`allowedCallers`'],
    [
      'a time that ends the run',
      openaiTool({ ...common, timeoutMs: 5, timeoutBehavior: 'raise_exception' }),
      '`timeoutBehavior`',
    ],
    ['data for its own items', openaiTool({ ...common, customDataExtractor: () => ({}) }), '`customDataExtractor`'],
    [
      'a hosted tool',
      hostedMcpTool({ serverLabel: 'x', serverUrl: 'http://mcp.example' }),
      '"hosted_mcp" is executed by its provider',
    ],
  ])('is refused by name for %s', (_what, item, message) => {
    expect(() => agentWith(item)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })
})
