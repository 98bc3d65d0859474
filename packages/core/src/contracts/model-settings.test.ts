import { scriptedModel } from '@agentkit/testing'
import { describe, expect, it } from 'vitest'
import { Agent } from '../agents/agent.ts'
import { tool } from '../tools/define-tool.ts'
import type { ModelSettings } from './model-settings.ts'

const echo = tool({ name: 'echo', description: 'Echoes.', input: { type: 'object' }, execute: () => 'done' })
const settings: ModelSettings = {
  temperature: 0.3,
  maxOutputTokens: 50,
  stop: ['END'],
  reasoning: 'low',
  parallelToolCalls: false,
  toolChoice: { tool: 'echo' },
}

describe('modelSettings', () => {
  it('are sent with each step, the tool choice only with the first', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'echo' }] }, 'Done.'])
    await new Agent({ name: 'A', functions: [echo], model, modelSettings: settings }).chat('Go')
    const { toolChoice, ...others } = settings
    expect(model.requests[0]).toMatchObject({ ...others, toolChoice })
    expect(model.requests[1]).toMatchObject(others)
    expect(model.requests[1]).not.toHaveProperty('toolChoice')
  })

  it('omit the tool choice when there are no tools', async () => {
    const model = scriptedModel(['Done.'])
    await new Agent({ name: 'A', functions: [], model, modelSettings: { toolChoice: 'required' } }).chat('Go')
    expect(model.requests[0]).not.toHaveProperty('toolChoice')
  })

  it.each<ModelSettings>([
    { temperature: 0 },
    { maxOutputTokens: 1 },
    { stop: [] },
    ...(['none', 'low', 'medium', 'high'] as const).map((reasoning) => ({ reasoning })),
    ...(['auto', 'none', 'required'] as const).map((toolChoice) => ({ toolChoice })),
  ])('may be %j', async (modelSettings) => {
    const model = scriptedModel(['Done.'])
    await new Agent({ name: 'A', functions: [echo], model, modelSettings }).chat('Go')
    expect(model.requests[0]).toMatchObject(modelSettings)
  })

  it('may each be absent', async () => {
    const model = scriptedModel(['Done.'])
    // In plain JavaScript a computed setting is often `undefined`.
    const modelSettings = { temperature: undefined, reasoning: undefined } as unknown as ModelSettings
    await new Agent({ name: 'A', functions: [], model, modelSettings }).chat('Go')
    expect(model.requests).toHaveLength(1)
  })

  it.each<[object, string]>([
    [{ temperature: '1' }, '`modelSettings.temperature` is a number, 0 or more.'],
    [{ temperature: -1 }, '`modelSettings.temperature` is a number, 0 or more.'],
    [{ temperature: Number.POSITIVE_INFINITY }, '`modelSettings.temperature` is a number, 0 or more.'],
    [{ maxOutputTokens: 0.5 }, '`modelSettings.maxOutputTokens` is a whole number above 0.'],
    [{ stop: 'END' }, '`modelSettings.stop` is a list of texts that are not empty, in valid Unicode.'],
    [{ stop: [''] }, '`modelSettings.stop` is a list of texts that are not empty, in valid Unicode.'],
    [{ reasoning: 'max' }, '`modelSettings.reasoning` is "none", "low", "medium" or "high".'],
    [{ parallelToolCalls: 1 }, '`modelSettings.parallelToolCalls` is true or false.'],
    [{ maxOutputTokens: 0 }, '`modelSettings.maxOutputTokens` is a whole number above 0.'],
    [{ stop: ['half \ud83d'] }, '`modelSettings.stop` is a list of texts that are not empty, in valid Unicode.'],
    [{ stop: [3] }, '`modelSettings.stop` is a list of texts that are not empty, in valid Unicode.'],
    [{ toolChoice: {} }, '`modelSettings.toolChoice` is "auto", "none", "required" or { tool: "its name" }.'],
    [{ toolChoice: { tool: 3 } }, '`modelSettings.toolChoice` is "auto", "none", "required" or'],
    [{ toolChoice: null }, '`modelSettings.toolChoice` is "auto", "none", "required" or'],
    [{ toString: 1 }, 'Unknown option `modelSettings.toString`.'],
    [{ toolChoice: 'any' }, '`modelSettings.toolChoice` is "auto", "none", "required" or { tool: "its name" }.'],
    [
      { temprature: 1 },
      'Unknown option `modelSettings.temprature`. Did you mean `modelSettings.temperature`? Known: temperature, maxOutputTokens,',
    ],
  ])('are checked: %j', (modelSettings, message) => {
    const make = () => new Agent({ name: 'A', functions: [], model: scriptedModel([]), modelSettings })
    expect(make).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    )
  })
})
