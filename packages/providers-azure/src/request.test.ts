import type { ModelRequest } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { apiKey, ask, endpoint, fakeFetch } from './__fixtures__/fake-fetch.ts'
import { type AzureModelOptions, azure } from './provider.ts'

const echo = { name: 'echo', description: 'Echo.', inputSchema: { type: 'object', properties: {} } }

async function toBody(
  more: Partial<ModelRequest>,
  options: AzureModelOptions = {},
  api: 'chat' | 'responses' = 'chat',
) {
  const { fetch, sent } = fakeFetch()
  const request: ModelRequest = {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ],
    ...more,
  }
  const { events } = await ask(fetch, { apiKey, api }, { request, ...options })
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
  return { body: sent[0]?.body ?? {}, warnings }
}

describe('a request to Azure', () => {
  it('assumes that a deployment of any name accepts all settings', async () => {
    const { body, warnings } = await toBody({ temperature: 0.5, reasoning: 'high', maxOutputTokens: 9 })
    expect(body).toMatchObject({
      messages: [{ role: 'system' }, { role: 'user' }],
      temperature: 0.5,
      reasoning_effort: 'high',
      max_completion_tokens: 9,
    })
    expect(warnings).toEqual([])
  })

  it('sends the settings that the named model accepts (Q26)', async () => {
    const { body, warnings } = await toBody({ temperature: 0.5 }, { model: 'gpt-5.6-sol' })
    expect(body).toMatchObject({ model: 'dep', messages: [{ role: 'developer' }, { role: 'user' }] })
    expect(body).not.toHaveProperty('temperature')
    expect(warnings).toEqual([expect.stringContaining('`temperature`')])
  })

  it('sends the four texts to stop at that the API takes (Q21)', async () => {
    const { body, warnings } = await toBody({ stop: ['a', 'b', 'c', 'd', 'e'] }, { model: 'gpt-4.1' })
    expect(body).toMatchObject({ stop: ['a', 'b', 'c', 'd'] })
    expect(warnings).toEqual([expect.stringContaining('takes 4 texts to stop at')])
  })

  it('warns that a model takes tools and reasoning only with the other API', async () => {
    const { body, warnings } = await toBody({ tools: [echo] }, { model: 'gpt-5.6-sol' })
    expect(body).toMatchObject({ reasoning_effort: 'none' })
    expect(warnings).toEqual([expect.stringContaining("api: 'responses'")])
  })

  it('is stateless by Responses, with encrypted reasoning where the model reasons', async () => {
    const { body } = await toBody({ reasoning: 'low', tools: [echo] }, { model: 'gpt-5.6-sol' }, 'responses')
    expect(body).toMatchObject({
      model: 'dep',
      instructions: 'Be brief.',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    })
    const plain = await toBody({}, { model: 'gpt-4o' }, 'responses')
    expect(plain.body).not.toHaveProperty('include')
  })

  it('holds an answer to a schema (Q25)', async () => {
    const { body } = await toBody({ output: { type: 'object', properties: {}, additionalProperties: false } })
    expect(body).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict: false } } })
  })
})

describe('the facts about a deployment', () => {
  const infoOf = (deployment: string, options?: AzureModelOptions) =>
    azure({ apiKey, endpoint }).model(deployment, options).info

  it('is that of the model of its name', () => {
    expect(infoOf('gpt-4o')).toMatchObject({ contextWindow: 128_000, maxOutputTokens: 16_384, nativeOutput: 'always' })
    for (const older of ['gpt-4', 'gpt-4-turbo', 'gpt-35-turbo']) {
      expect(infoOf(older)).toMatchObject({ nativeOutput: 'never' })
    }
  })

  it('is that of the model that the user names, with the prices of long prompts and images', () => {
    expect(infoOf('dep', { model: 'gpt-5.6-sol' })).toMatchObject({
      price: { inputUsdPerMillion: 4, longPrompt: { aboveInputTokens: 272_000, inputUsdPerMillion: 8 } },
      imageTokens: 36_000,
    })
    expect(infoOf('dep', { model: 'gpt-5.5' })).toMatchObject({ imageTokens: 12_000 })
    expect(infoOf('dep', { model: 'gpt-4o-mini' })).toMatchObject({ imageTokens: 48_169 })
  })

  it('is low for an unknown name, so that no request is blocked', () => {
    expect(infoOf('dep')).toEqual({ nativeOutput: 'always' })
  })
})

it.each([
  ['dated', false, 'gpt-5.4', { prompt_cache_key: 'k' }],
  ['dated', false, 'gpt-5.6', { prompt_cache_key: 'k' }],
  ['v1', true, 'gpt-5.6', { prompt_cache_key: 'k', prompt_cache_options: { mode: 'explicit' } }],
  ['v1', true, 'my-deployment', {}],
] as const)(
  'sends by the %s API (v1: %s) to %s the fields about caching that it takes',
  async (_api, v1, model, fields) => {
    const bodies: unknown[] = []
    const kept: typeof fetch = async (_input, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return new Response('no', { status: 400 })
    }
    const azureModel = azure({ endpoint: 'https://a.example', apiKey: 'test', fetch: kept, v1 }).model(model)
    const request = {
      messages: [{ role: 'user' as const, content: 'hi' }],
      cache: { key: 'k', marks: ['end' as const] },
    }
    const read = async (): Promise<void> => {
      for await (const _event of azureModel.stream(request, new AbortController().signal));
    }
    await expect(read()).rejects.toThrow()
    const { prompt_cache_key, prompt_cache_options } = bodies[0] as Record<string, unknown>
    expect(JSON.parse(JSON.stringify({ prompt_cache_key, prompt_cache_options }))).toEqual(fields)
  },
)
