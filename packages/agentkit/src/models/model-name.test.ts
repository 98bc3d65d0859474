import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { resolveModelName } from './model-name.ts'

describe('resolveModelName', () => {
  beforeEach(() => void vi.stubEnv('OPENAI_BASE_URL', undefined))
  afterEach(() => void vi.unstubAllEnvs())

  it.each([
    // With a provider: only the first "/" splits.
    ['openai/gpt-5.4-mini', 'openai', 'gpt-5.4-mini'],
    ['groq/openai/gpt-oss-120b', 'groq', 'openai/gpt-oss-120b'],
    ['openai/gpt-oss-120b', 'openai', 'gpt-oss-120b'],
    ['groq/llama-3.3-70b-versatile', 'groq', 'llama-3.3-70b-versatile'],
    ['ollama/hf.co/x/y:Q4', 'ollama', 'hf.co/x/y:Q4'],
    ['azure/my-deployment', 'azure', 'my-deployment'],
    ['google/gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
    ['gemini/gemini-3-pro-preview', 'gemini', 'gemini-3-pro-preview'],
    ['anthropic/claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['mistral/mistral-large-2512', 'mistral', 'mistral-large-2512'],
    ['offline/extractive', 'offline', 'extractive'],
    ['openai/claude-like', 'openai', 'claude-like'],
    // OpenAI's families
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['gpt-6-astra', 'openai', 'gpt-6-astra'],
    ['chatgpt-4o-latest', 'openai', 'chatgpt-4o-latest'],
    ['o3', 'openai', 'o3'],
    ['o4-mini', 'openai', 'o4-mini'],
    ['codex-mini-latest', 'openai', 'codex-mini-latest'],
    ['text-embedding-3-small', 'openai', 'text-embedding-3-small'],
    ['ft:gpt-4o-mini:my-org::abc123', 'openai', 'ft:gpt-4o-mini:my-org::abc123'],
    ['computer-use-preview', 'openai', 'computer-use-preview'],
    ['claude-fable-5-1', 'anthropic', 'claude-fable-5-1'],
    // Mistral's families
    ['mistral-large-2512', 'mistral', 'mistral-large-2512'],
    ['ministral-8b-latest', 'mistral', 'ministral-8b-latest'],
    ['magistral-medium-latest', 'mistral', 'magistral-medium-latest'],
    ['codestral-latest', 'mistral', 'codestral-latest'],
    ['devstral-small', 'mistral', 'devstral-small'],
    ['pixtral-12b', 'mistral', 'pixtral-12b'],
    ['voxtral-mini', 'mistral', 'voxtral-mini'],
    ['open-mistral-nemo', 'mistral', 'open-mistral-nemo'],
    ['open-mixtral-8x22b', 'mistral', 'open-mixtral-8x22b'],
    // Gemini's families
    ['gemini-2.5-flash', 'gemini', 'gemini-2.5-flash'],
    ['models/gemini-2.5-flash', 'gemini', 'models/gemini-2.5-flash'],
    ['gemma-3-27b-it', 'gemini', 'gemma-3-27b-it'],
    // Ollama's families, and any tag
    ['llama3.2', 'ollama', 'llama3.2'],
    ['qwen3', 'ollama', 'qwen3'],
    ['gemma3:4b', 'ollama', 'gemma3:4b'],
    ['phi4', 'ollama', 'phi4'],
    ['deepseek-r1', 'ollama', 'deepseek-r1'],
    ['gpt-oss', 'ollama', 'gpt-oss'],
    ['gpt-oss:20b', 'ollama', 'gpt-oss:20b'],
    ['nomic-embed-text', 'ollama', 'nomic-embed-text'],
    ['mxbai-embed-large', 'ollama', 'mxbai-embed-large'],
    ['mistral:7b', 'ollama', 'mistral:7b'],
    ['my-own-model:latest', 'ollama', 'my-own-model:latest'],
    ['hf.co/x/y:Q4', 'ollama', 'hf.co/x/y:Q4'],
  ])('resolves %s to %s and %s', (name, provider, model) => {
    expect(resolveModelName(name)).toEqual({ provider, model })
  })

  it.each(['my-model', 'gemma3', 'meta-llama/llama-4-scout', 'qwen/qwen3-32b', 'constructor/x', '__proto__/x'])(
    'refuses %s and lists the candidates',
    (name) => {
      expect(() => resolveModelName(name)).toThrow(
        expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining(`"groq/${name}"`) }),
      )
    },
  )

  it.each([
    ['opnai/gpt-5', 'openai/gpt-5'],
    ['gtp-5.4-mini', 'gpt-5.4-mini'],
    ['cluade-sonnet-5', 'claude-sonnet-5'],
  ])('refuses %s and suggests %s', (name, nearest) => {
    expect(() => resolveModelName(name)).toThrow(`Did you mean "${nearest}"?`)
  })

  it.each([
    ['openai:gpt-5', 'openai/gpt-5'],
    ['google:gemini-2.5-pro', 'gemini/gemini-2.5-pro'],
    ['mistral:mistral-large-latest', 'mistral/mistral-large-latest'],
    ['google-genai:gemini-2.5-pro', 'gemini/gemini-2.5-pro'],
    ['google_genai:gemini-2.5-pro', 'gemini/gemini-2.5-pro'],
    ['azure_openai:gpt-5', 'azure/gpt-5'],
    ['mistralai:codestral-2508', 'mistral/codestral-2508'],
  ])('refuses %s, as other libraries write it, and names %s', (name, ours) => {
    expect(() => resolveModelName(name)).toThrow(`"${ours}"`)
  })

  it.each([
    ['offline', 'offline/extractive'],
    ['google', 'gemini/gemini-flash-latest'],
    ['anthropic', 'anthropic/claude-sonnet-5'],
  ])('refuses %s, which is a provider, and names one of its models', (name, model) => {
    expect(() => resolveModelName(name)).toThrow(
      `"${name}" is a provider. Write one of its models, such as "${model}".`,
    )
  })

  it.each(['', ' ', 'openai/'])('refuses %j, which has no model', (name) => {
    expect(() => resolveModelName(name)).toThrow(expect.objectContaining({ code: 'invalid-config' }))
  })

  it('resolves an unknown name to openai when OPENAI_BASE_URL is another server', () => {
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/v1')
    expect(resolveModelName('meta-llama/llama-4-scout')).toEqual({
      provider: 'openai',
      model: 'meta-llama/llama-4-scout',
    })
    expect(resolveModelName('claude-opus-5').provider).toBe('anthropic')
  })
})
