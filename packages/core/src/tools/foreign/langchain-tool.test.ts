import { ToolMessage } from '@langchain/core/messages'
import { RunnableLambda } from '@langchain/core/runnables'
import { DynamicTool, tool as langChainTool, StructuredTool } from '@langchain/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentWith, runWithTools } from '../../__fixtures__/run-with-tools.ts'

const city = { name: 'weather', description: 'The weather.', schema: z.object({ city: z.string() }) }

describe('a tool of LangChain', () => {
  it('is an element of functions', async () => {
    const weather = langChainTool(({ city }) => `Rain in ${city}`, city)
    const { tools, results } = await runWithTools([weather], { name: 'weather', input: { city: 'Oslo' } })
    expect(tools).toMatchObject([{ name: 'weather', description: 'The weather.', inputSchema: { required: ['city'] } }])
    expect(results).toEqual(['Rain in Oslo'])
  })

  it('parses its input once, after it was validated', async () => {
    const seen: unknown[] = []
    const schema = z.object({ at: z.string().transform((text) => Number(text)), days: z.number().default(2) })
    const act = langChainTool((input) => seen.push(input), { ...city, name: 'act', schema })
    const { results } = await runWithTools(
      [act],
      { name: 'act', input: { at: '5' } },
      { name: 'act', input: { at: 5 } },
    )
    expect(seen).toEqual([{ at: 5, days: 2 }])
    expect(results[1]).toEqual({ error: expect.stringContaining("do not fit the tool's schema") })
  })

  it('may have a JSON Schema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
    const double = langChainTool((input) => (input as { n: number }).n * 2, { ...city, name: 'double', schema })
    const { results } = await runWithTools([double], { name: 'double', input: { n: 2 } }, { name: 'double', input: {} })
    expect(results).toEqual(['4', { error: expect.stringContaining('do not fit') }])
  })

  it.each([
    [
      'tool()',
      langChainTool((text: string) => text.toUpperCase(), {
        name: 'shout',
        description: 'Shouts.',
        schema: z.string(),
      }),
    ],
    [
      'DynamicTool',
      new DynamicTool({ name: 'shout', description: 'Shouts.', func: async (text) => text.toUpperCase() }),
    ],
  ])('may take one text, made by %s', async (_how, shout) => {
    const { tools, results } = await runWithTools([shout], { name: 'shout', input: { input: 'hi' } })
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { input: { type: 'string' } } })
    expect(results).toEqual(['HI'])
  })

  it('may be of a class, and a runnable', async () => {
    class Search extends StructuredTool {
      name = 'search'
      description = 'Searches.'
      schema = z.object({ words: z.string() })
      protected async _call({ words }: { words: string }): Promise<string> {
        return `${this.name}: ${words}`
      }
    }
    const runnable = RunnableLambda.from(({ words }: { words: string }) => `ran ${words}`).asTool({
      name: 'runnable',
      description: 'Runs.',
      schema: z.object({ words: z.string() }),
    })
    const input = { words: 'a b' }
    const { results } = await runWithTools(
      [new Search(), runnable],
      { name: 'search', input },
      { name: 'runnable', input },
    )
    expect(results).toEqual(['search: a b', 'ran a b'])
  })

  it('receives the signal and the id of the call', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<unknown>()
    const wait = langChainTool(
      (_input, config: { signal?: AbortSignal; toolCallId?: string }) =>
        new Promise<string>(() => config.signal?.addEventListener('abort', () => resolve(config.toolCallId))),
      { ...city, name: 'wait' },
    )
    const { results } = await runWithTools([wait], { name: 'wait', input: { city: 'Oslo' } })
    expect(await ended).toEqual(expect.any(String))
    expect(results).toEqual([{ error: expect.any(String) }])
  })

  it('may return blocks, a message, and content with an artifact', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
    const returns: Record<string, unknown> = {
      blocks: [{ type: 'text', text: 'See:' }, image, { type: 'image', url: 'https://images.example/a.png' }],
      data: [{ type: 'row', id: 1 }],
      message: new ToolMessage({ content: 'said', tool_call_id: 'x' }),
      failed: new ToolMessage({ content: 'It broke.', tool_call_id: 'x', status: 'error' }),
      command: { lc_direct_tool_output: true, lg_name: 'Command', update: {} },
    }
    const act = langChainTool(({ city }) => returns[city] as string, { ...city, name: 'act' })
    const both = langChainTool(() => ['content', { rows: 3 }], {
      ...{ ...city, name: 'both', responseFormat: 'content_and_artifact' },
    })
    const { results } = await runWithTools(
      [act, both],
      ...Object.keys(returns).map((key) => ({ name: 'act', input: { city: key } })),
      { name: 'both', input: { city: 'Oslo' } },
    )
    expect(results).toEqual([
      [
        { type: 'text', text: 'See:' },
        { type: 'image', base64: 'aGk=', mediaType: 'image/png' },
        { type: 'image', url: 'https://images.example/a.png' },
      ],
      '[{"type":"row","id":1}]',
      'said',
      { error: 'It broke.' },
      { error: expect.stringContaining('Command') },
      'content',
    ])
  })

  it.each<[string, unknown, string]>([
    ['returnDirect', langChainTool(() => 'x', { ...city, returnDirect: true }), 'Tool "weather": `returnDirect`'],
    [
      "a provider's definition",
      langChainTool(() => 'x', { ...city, extras: { providerToolDefinition: {} } }),
      '`extras`',
    ],
    ['what is not a tool', RunnableLambda.from(() => 'x'), 'it is an object of LangChain, but no tool'],
    ['an invalid name', langChainTool(() => 'x', { ...city, name: 'get weather' }), 'Tool "get weather": a name'],
  ])('is refused by name for %s', (_what, item, message) => {
    expect(() => agentWith(item)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })
})
