import { describe, expect, it } from 'vitest'
import { agentSettings } from './agent-settings.ts'
import type { Config } from './config.ts'
import { reservedTables } from './config-keys.ts'

const weather = { name: 'Weather Service', id: 'weather-service' }

function configOf(parts: Partial<Config>): Config {
  return {
    path: '/app/config.toml',
    defaults: {},
    agents: new Map(),
    samplePrompts: {},
    server: {},
    retention: {},
    webhooks: {},
    retriever: {},
    embedding: {},
    providers: new Map(),
    mcp: new Map(),
    warnings: [],
    ...parts,
  }
}

describe('agentSettings', () => {
  it.each([weather.name, weather.id])('finds the table [%s]', (table) => {
    expect(agentSettings(configOf({ agents: new Map([[table, { max_steps: 3 }]]) }), weather)).toEqual({ max_steps: 3 })
  })

  it('overrides [defaults] by the table, key by key', () => {
    const config = configOf({
      defaults: { max_steps: 1, timeout: 2 },
      agents: new Map([[weather.id, { max_steps: 3, enable_multi_modal: false }]]),
    })
    expect(agentSettings(config, weather)).toEqual({ max_steps: 3, timeout: 2, enable_multi_modal: false })
    expect(agentSettings(config, { name: 'Other', id: 'other' })).toEqual({ max_steps: 1, timeout: 2 })
  })

  it.each([
    { source: 'its table', defaults: ['d'], own: ['o'], expected: ['o'] },
    { source: 'its table, also when it says none', defaults: ['d'], own: [], expected: [] },
    { source: '[defaults]', defaults: ['d'], own: undefined, expected: ['d'] },
    { source: '[sample_prompts]', defaults: undefined, own: undefined, expected: ['general'] },
  ])('takes sample prompts from $source', ({ defaults, own, expected }) => {
    const config = configOf({
      samplePrompts: { prompts: ['general'] },
      defaults: defaults ? { sample_prompts: defaults } : {},
      agents: new Map([[weather.id, own ? { sample_prompts: own } : {}]]),
    })
    expect(agentSettings(config, weather).sample_prompts).toEqual(expected)
  })

  it.each(reservedTables)('refuses the id "%s"', (id) => {
    expect(() => agentSettings(configOf({}), { name: 'Agent', id })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(`[${id}]`) }),
    )
  })

  it('refuses two tables for one agent', () => {
    const agents = new Map([
      [weather.name, {}],
      [weather.id, {}],
    ])
    expect(() => agentSettings(configOf({ agents }), weather)).toThrow(
      expect.objectContaining({ code: 'invalid-config', message: expect.stringContaining('both belong to one agent') }),
    )
  })

  it.each(['__proto__', 'constructor'])('finds no table for an agent named %s without one', (name) => {
    expect(agentSettings(configOf({}), { name, id: name })).toEqual({})
  })
})
