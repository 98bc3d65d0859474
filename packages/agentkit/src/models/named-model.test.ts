import type { Model } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ProviderSettings } from './import-provider.ts'
import { defaultModel, namedModel } from './named-model.ts'
import { keyVariables, type ModelTimeouts, type ProviderId, providerIds } from './providers.ts'

const { signal } = new AbortController()

/** Provider packages that record their options. */
function fakePackages() {
  const created: (ProviderSettings & { provider: ProviderId; model: string; timeouts?: ModelTimeouts })[] = []
  const load = async (provider: ProviderId) => (options: ProviderSettings) => ({
    model(model: string, timeouts?: ModelTimeouts): Model {
      created.push({ provider, ...options, model, ...(timeouts && { timeouts }) })
      return scriptedModel(['Hello'], { id: `${provider}/${model}` })
    },
  })
  return { created, load }
}

describe('namedModel', () => {
  beforeEach(() => {
    for (const variable of Object.values(keyVariables).flat()) vi.stubEnv(variable, undefined)
    vi.stubEnv('OPENAI_BASE_URL', undefined)
  })
  afterEach(() => void vi.unstubAllEnvs())

  it.each(providerIds.flatMap((provider) => keyVariables[provider].map((variable) => ({ provider, variable }))))(
    'gives $variable to $provider',
    async ({ provider, variable }) => {
      vi.stubEnv(variable, 'the-key')
      const { created, load } = fakePackages()
      await namedModel(`${provider}/some-model`, {}, load).load()
      expect(created).toEqual([{ provider, apiKey: 'the-key', model: 'some-model', timeouts: {} }])
    },
  )

  it.each([
    ['openai', 'LLMPROVIDER_API_KEY', 'OPENAI_API_KEY'],
    ['gemini', 'GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ])('prefers, for %s, the key of %s to the key of %s', async (provider, first, second) => {
    vi.stubEnv(first, 'one')
    vi.stubEnv(second, 'two')
    const { created, load } = fakePackages()
    await namedModel(`${provider}/m`, {}, load).load()
    expect(created[0]?.apiKey).toBe('one')
  })

  it('ignores an empty variable', async () => {
    vi.stubEnv('LLMPROVIDER_API_KEY', ' ')
    vi.stubEnv('OPENAI_API_KEY', 'two')
    const { created, load } = fakePackages()
    await namedModel('gpt-4o', {}, load).load()
    expect(created[0]?.apiKey).toBe('two')
  })

  it('passes the address of Ollama to Ollama only', async () => {
    const { created, load } = fakePackages()
    const settings = { idleTimeoutMs: 7, ollamaServerUrl: 'http://box:11434' }
    await namedModel('ollama/llama3.2', settings, load).load()
    await namedModel('offline/extractive', settings, load).load()
    expect(created).toEqual([
      { provider: 'ollama', serverUrl: 'http://box:11434', model: 'llama3.2', timeouts: { idleTimeoutMs: 7 } },
      { provider: 'offline', model: 'extractive', timeouts: { idleTimeoutMs: 7 } },
    ])
  })

  it.each(['ollama/llama3.2', 'offline/extractive'])('needs and sends no key for %s', async (name) => {
    vi.stubEnv('OPENAI_API_KEY', 'the-key')
    const { created, load } = fakePackages()
    await namedModel(name, {}, load).load()
    expect(created[0]).not.toHaveProperty('apiKey')
  })

  it.each(providerIds.filter((provider) => keyVariables[provider].length > 0))(
    'refuses %s without its key, whatever other keys there are, and names the variables',
    (provider) => {
      for (const other of providerIds) {
        if (other !== provider) for (const variable of keyVariables[other]) vi.stubEnv(variable, 'key-of-another')
      }
      expect(() => namedModel(`${provider}/m`, {}, fakePackages().load)).toThrow(
        expect.objectContaining({
          code: 'missing-key',
          provider,
          message: expect.stringContaining(keyVariables[provider].join(' or ')),
        }),
      )
    },
  )

  it('uses the default model when there is an OpenAI key', () => {
    vi.stubEnv('LLMPROVIDER_API_KEY', 'the-key')
    expect(namedModel(undefined, {}, fakePackages().load).id).toBe(defaultModel)
  })

  it('refuses to run without a model and a key', () => {
    expect(() => namedModel(undefined)).toThrow(
      expect.objectContaining({
        code: 'missing-key',
        message: expect.stringMatching(/LLMPROVIDER_API_KEY or OPENAI_API_KEY.*"offline\/extractive" needs no key/),
      }),
    )
  })

  it('needs no key when OPENAI_BASE_URL is another server', async () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    const { created, load } = fakePackages()
    await namedModel('some-model', {}, load).load()
    expect(created).toEqual([{ provider: 'openai', model: 'some-model', timeouts: {} }])
    expect(() => namedModel('claude-opus-5')).toThrow(expect.objectContaining({ code: 'missing-key' }))
    expect(() => namedModel(undefined)).toThrow(expect.objectContaining({ code: 'missing-key' }))
  })

  it("needs a key when OPENAI_BASE_URL is OpenAI's own", () => {
    vi.stubEnv('OPENAI_BASE_URL', 'https://api.openai.com/v1')
    expect(() => namedModel('gpt-4o')).toThrow(expect.objectContaining({ code: 'missing-key' }))
  })

  it('suggests the nearest known model for a misspelt one, also without a key', () => {
    const message = (name: string): string => {
      try {
        namedModel(name)
      } catch (error) {
        return String(error)
      }
      return ''
    }
    expect(message('gpt-5.4-mimi')).toMatch(/OPENAI_API_KEY.* Did you mean "gpt-5\.4-mini"\?$/)
    expect(message('anthropic/claude-sonet-5')).toContain('Did you mean "anthropic/claude-sonnet-5"?')
    // A known model, and one that may be newer than the table.
    for (const name of ['gpt-5.4-mini', 'gpt-7.9-mini']) expect(message(name)).toMatch(/in \.env\.$/)
  })

  it('suggests a model of a provider whose key is set', () => {
    vi.stubEnv('GROQ_API_KEY', 'the-key')
    expect(() => namedModel(undefined)).toThrow(
      expect.objectContaining({ code: 'missing-key', message: expect.stringContaining('"groq/…"') }),
    )
  })

  it('passes the timeouts, and imports nothing before the first call', async () => {
    const { created, load } = fakePackages()
    const timeouts = { firstByteTimeoutMs: 5, idleTimeoutMs: 7 }
    const model = namedModel('offline/extractive', timeouts, load)
    expect(model.id).toBe('offline/extractive')
    expect(created).toEqual([])
    for await (const _ of model.stream({ messages: [] }, signal)) break
    expect(created).toEqual([{ provider: 'offline', model: 'extractive', timeouts }])
  })
})
