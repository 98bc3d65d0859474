import { Agent as CoreAgent, type Model } from '@agentkit/core'
import { readCassette, scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { onCassette } from './cassette-model.ts'
import { namedModel } from './named-model.ts'

const { path } = useFolder()

describe('a model on a cassette', () => {
  it('is itself where the environment names none', () => {
    const model = scriptedModel([])
    vi.stubEnv('AGENTKIT_RECORD', '')
    expect(onCassette(model)).toBe(model)
  })

  it('is recorded by every agent, and replayed by its id, with what is known of it', async () => {
    const file = path('test.cassette')
    vi.stubEnv('AGENTKIT_RECORD', file)
    const info = { contextWindow: 9_000 }
    const chat = (model?: string | Model): Promise<string> =>
      new Agent({ name: 'Guide', functions: [], sessions: ':memory:', ...(model && { model }) }).chat('Hi')
    await chat(scriptedModel(['Hello'], { id: 'openai/gpt-5.4-mini', info }))
    await chat(scriptedModel(['Ahoy'], { id: 'groq/other' }))
    expect(readCassette(file).calls.map(({ model }) => model)).toEqual(['openai/gpt-5.4-mini', 'groq/other'])

    vi.stubEnv('AGENTKIT_RECORD', undefined)
    vi.stubEnv('AGENTKIT_REPLAY', file)
    expect(await chat(), 'the default model, without a key').toBe('Hello')
    expect(await chat('groq/other')).toBe('Ahoy')
    const replayed = namedModel('gpt-5.4-mini')
    await replayed.load()
    expect(replayed.info).toEqual(info)
  })

  it('gives each call of a cassette out once, however many agents ask', async () => {
    const file = path('test.cassette')
    const chat = (model: string | Model): Promise<string> =>
      new Agent({ name: 'Guide', functions: [], sessions: ':memory:', model }).chat('Hi')
    vi.stubEnv('AGENTKIT_RECORD', file)
    for (const word of ['One', 'Two']) await chat(scriptedModel([word], { id: 'groq/other' }))
    vi.stubEnv('AGENTKIT_RECORD', undefined)
    vi.stubEnv('AGENTKIT_REPLAY', file)
    expect([await chat('groq/other'), await chat('groq/other')]).toEqual(['One', 'Two'])
  })

  it('adds to the cassette: a command may have several processes', async () => {
    const file = path('test.cassette')
    vi.stubEnv('AGENTKIT_RECORD', file)
    for (const word of ['One', 'Two']) {
      // Each with a copy of the package of its own.
      vi.resetModules()
      const { onCassette } = await import('./cassette-model.ts')
      await new CoreAgent({ name: 'Guide', functions: [], model: onCassette(scriptedModel([word])) }).chat(word)
    }
    expect(readCassette(file).calls).toHaveLength(2)
  })

  it('is not recorded and replayed at once', () => {
    vi.stubEnv('AGENTKIT_RECORD', 'a')
    vi.stubEnv('AGENTKIT_REPLAY', 'b')
    const failure = expect.objectContaining({
      code: 'invalid-config',
      message: 'Set AGENTKIT_RECORD or AGENTKIT_REPLAY, not both.',
    })
    expect(() => onCassette(scriptedModel([]))).toThrow(failure)
  })
})
