import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyVariables } from '../models/providers.ts'
import { defaultEmbedding, namedEmbedding } from './embedding-choice.ts'

beforeEach(() => {
  for (const variable of [...Object.values(keyVariables).flat(), 'OPENAI_BASE_URL']) vi.stubEnv(variable, '')
})
afterEach(() => vi.unstubAllEnvs())

describe('namedEmbedding', () => {
  it('is undefined for an empty table', () => {
    expect(namedEmbedding({}, 'openai')).toBeUndefined()
  })

  it.each([
    [{ provider: 'mistral' }, 'anthropic', { provider: 'mistral', model: 'mistral-embed' }],
    [{ provider: 'google' }, 'anthropic', { provider: 'gemini', model: 'gemini-embedding-001' }],
    [{ model: 'text-embedding-3-large' }, 'groq', { provider: 'openai', model: 'text-embedding-3-large' }],
    [{ model: 'openai/text-embedding-3-large' }, 'groq', { provider: 'openai', model: 'text-embedding-3-large' }],
    [{ model: 'nomic-embed-text' }, 'openai', { provider: 'ollama', model: 'nomic-embed-text' }],
    [{ model: 'our-own' }, 'mistral', { provider: 'mistral', model: 'our-own' }],
    [{ model: 'text-embedding-3-small' }, 'azure', { provider: 'azure', model: 'text-embedding-3-small' }],
    [{ provider: 'azure', model: 'my-deployment' }, 'openai', { provider: 'azure', model: 'my-deployment' }],
    [{ provider: 'ollama', model: 'hf.co/some/model' }, 'openai', { provider: 'ollama', model: 'hf.co/some/model' }],
    [{ dimensions: 512 }, 'openai', { provider: 'openai', model: 'text-embedding-3-small', dimensions: 512 }],
  ] as const)('of %j with the chat provider %s is %j', (table, chat, choice) => {
    for (const [variable] of Object.values(keyVariables)) if (variable) vi.stubEnv(variable, 'key')
    expect(namedEmbedding(table, chat)).toEqual(choice)
  })

  it.each([
    [{ provider: 'anthropic' }, 'invalid-config', 'anthropic has no embeddings'],
    [{ dimensions: 3 }, 'invalid-config', 'groq has no embeddings'],
    [{ provider: 'opanai' }, 'invalid-config', 'Set it to one of "openai"'],
    [{ provider: 'azure' }, 'invalid-config', 'set model to your azure deployment'],
    [{ provider: 'mistral' }, 'missing-key', 'Set MISTRAL_API_KEY'],
  ])('of %j is the error %s that says the fix', (table, code, message) => {
    expect(() => namedEmbedding(table, 'groq')).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    )
  })
})

describe('defaultEmbedding', () => {
  it.each([
    ['the chat provider’s', ['gemini'], ['GEMINI_API_KEY', 'OPENAI_API_KEY'], 'gemini/gemini-embedding-001'],
    [
      'that of the next model of a chain',
      ['groq', 'mistral'],
      ['GROQ_API_KEY', 'MISTRAL_API_KEY'],
      'mistral/mistral-embed',
    ],
    ['that of another provider with a key', ['anthropic'], ['GEMINI_API_KEY'], 'gemini/gemini-embedding-001'],
    ['OpenAI’s by either of its keys', ['groq'], ['LLMPROVIDER_API_KEY'], 'openai/text-embedding-3-small'],
    ['Ollama’s, where it chats', ['ollama'], ['OPENAI_API_KEY'], 'ollama/nomic-embed-text'],
    ['not Azure’s, whose deployments have names of their own', ['azure'], ['AZURE_OPENAI_API_KEY'], undefined],
    ['not Ollama’s, where another one chats', ['anthropic'], ['ANTHROPIC_API_KEY'], undefined],
    ['none without a key', ['offline'], [], undefined],
  ] as const)('is %s', (_, chat, keys, id) => {
    for (const key of keys) vi.stubEnv(key, 'key')
    const choice = defaultEmbedding(chat)
    expect(choice && `${choice.provider}/${choice.model}`).toBe(id)
  })

  it('expects no embeddings of another server with OpenAI’s API', () => {
    vi.stubEnv('OPENAI_API_KEY', 'key')
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    expect(defaultEmbedding(['openai'])).toBeUndefined()
  })
})
