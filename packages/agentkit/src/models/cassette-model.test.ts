import { Agent as CoreAgent, type Model } from '@agentkit/core'
import { readCassette, scriptedModel } from '@agentkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { useFolder } from '../__fixtures__/use-folder.ts'
import { Agent } from '../agents/agent.ts'
import { withCassette } from './cassette-model.ts'
import { namedModel } from './named-model.ts'

const { path } = useFolder()

describe('a model on a cassette', () => {
  it('is the model itself without a cassette', () => {
    const model = scriptedModel([])
    vi.stubEnv('AGENTKIT_RECORD', '')
    expect(withCassette(model)).toBe(model)
  })

  it('is recorded by every agent, and replayed by its id, with its info', async () => {
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

  it('replays each call of a cassette once, with any number of agents', async () => {
    const file = path('test.cassette')
    const chat = (model: string | Model): Promise<string> =>
      new Agent({ name: 'Guide', functions: [], sessions: ':memory:', model }).chat('Hi')
    vi.stubEnv('AGENTKIT_RECORD', file)
    for (const word of ['One', 'Two']) await chat(scriptedModel([word], { id: 'groq/other' }))
    vi.stubEnv('AGENTKIT_RECORD', undefined)
    vi.stubEnv('AGENTKIT_REPLAY', file)
    expect([await chat('groq/other'), await chat('groq/other')]).toEqual(['One', 'Two'])
  })

  it('appends to the cassette, as a command may start several processes', async () => {
    const file = path('test.cassette')
    vi.stubEnv('AGENTKIT_RECORD', file)
    for (const word of ['One', 'Two']) {
      // Each process has its own copy of the package.
      vi.resetModules()
      const { withCassette } = await import('./cassette-model.ts')
      await new CoreAgent({ name: 'Guide', functions: [], model: withCassette(scriptedModel([word])) }).chat(word)
    }
    expect(readCassette(file).calls).toHaveLength(2)
  })

  it('is not recorded and replayed at the same time', () => {
    vi.stubEnv('AGENTKIT_RECORD', 'a')
    vi.stubEnv('AGENTKIT_REPLAY', 'b')
    const failure = expect.objectContaining({
      code: 'invalid-config',
      message: 'Set AGENTKIT_RECORD or AGENTKIT_REPLAY, not both.',
    })
    expect(() => withCassette(scriptedModel([]))).toThrow(failure)
  })
})
