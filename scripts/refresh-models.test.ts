import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelTable } from '../packages/wire/src/provider/model-facts.ts'
import { readCatalogue, readPiCatalogue } from './model-catalogue.ts'
import { printTable, toModelTable } from './refresh-models.ts'
import { root } from './workspace-files.ts'

const today = '2026-11-20'
const dated = { source: 'a test', asOf: today }
const text = { input: ['text'], output: ['text'] }

/** models.dev's `api.json`, with one provider. */
function catalogue(...models: { id: string; [field: string]: unknown }[]): unknown {
  return { acme: { id: 'acme', models: Object.fromEntries(models.map((model) => [model.id, model])) } }
}

function tableOf(...models: { id: string; [field: string]: unknown }[]): ModelTable {
  return toModelTable(readCatalogue('acme', catalogue(...models), today), dated)
}

describe('a table from models.dev', () => {
  it('has limits, prices, and the inputs and features of a model', () => {
    const model = {
      id: 'big',
      tool_call: true,
      reasoning: true,
      temperature: false,
      limit: { context: 1000, output: 100 },
      modalities: { input: ['text', 'audio', 'image', 'pdf'], output: ['text'] },
      cost: {
        input: 2,
        output: 12,
        cache_read: 0.2,
        cache_write: 2.5,
        tiers: [{ tier: { type: 'context', size: 500 }, input: 4, output: 18, cache_read: 0.4 }],
      },
    }
    expect(tableOf(model)).toEqual({
      ...dated,
      models: {
        big: {
          contextWindow: 1000,
          maxOutputTokens: 100,
          usdPerMillion: [2, 12, 0.2, 2.5],
          longPrompt: { aboveInputTokens: 500, usdPerMillion: [4, 18, 0.4] },
          reads: ['image', 'pdf'],
          tools: true,
          reasoning: true,
          temperature: false,
        },
      },
    })
  })

  it('reads the older form of prices of long prompts', () => {
    const { models } = tableOf({ id: 'm', cost: { input: 1, output: 2, context_over_200k: { input: 2, output: 3 } } })
    expect(models.m?.longPrompt).toEqual({ aboveInputTokens: 200_000, usdPerMillion: [2, 3] })
  })

  it('omits unknown facts', () => {
    expect(tableOf({ id: 'new', modalities: text }).models).toEqual({ new: { reads: [] } })
    expect(tableOf({ id: 'new', cost: { input: 1 } }).models.new).not.toHaveProperty('usdPerMillion')
  })

  it('has the price of cache writes only with that of cache reads', () => {
    const { models } = tableOf({ id: 'm', cost: { input: 1, output: 2, cache_write: 3 } })
    expect(models.m?.usdPerMillion).toEqual([1, 2])
  })

  it('limits the longest answer to the window', () => {
    const { models } = tableOf({ id: 'm', limit: { context: 100, output: 200 } })
    expect(models.m).toMatchObject({ contextWindow: 100, maxOutputTokens: 100 })
  })

  it('has only current models', () => {
    const table = tableOf(
      { id: 'good', modalities: text },
      { id: 'painter', modalities: { input: ['text'], output: ['image'] } },
      { id: 'old', status: 'deprecated', modalities: text },
      { id: 'gone', retirement_date: '2026-11-20', modalities: text },
      { id: 'going', retirement_date: '2026-11-21', modalities: text },
      { id: 'acme-embed-2', modalities: text },
      { id: 'deep-research-1', modalities: text },
    )
    expect(Object.keys(table.models)).toEqual(['going', 'good'])
  })

  it('is sorted, and has a snapshot only if it differs', () => {
    const table = tableOf(
      { id: 'b' },
      { id: 'a-2026-01-02', limit: { context: 9 } },
      { id: 'a', limit: { context: 9 } },
      { id: 'a-20260103', limit: { context: 8 } },
      { id: 'lonely-2026-01-02' },
    )
    expect(Object.keys(table.models)).toEqual(['a', 'a-20260103', 'b', 'lonely-2026-01-02'])
  })

  it('has the prices that a provider has announced', () => {
    const introductory = {
      id: 'gemini-4-argon',
      cost: { input: 2, output: 10 },
      limit: { context: 1e6, output: 32_768 },
    }
    expect(tableOf(introductory).models['gemini-4-argon']).toMatchObject({
      contextWindow: 1e6,
      maxOutputTokens: 65_536,
      usdPerMillion: [4, 20, 0.2],
      asOf: '2026-12-01',
    })
  })

  it('names a missing provider', () => {
    expect(() => readCatalogue('nobody', catalogue(), today)).toThrow('"nobody"')
  })

  it('is printed with one model per line', () => {
    const printed = printTable(tableOf({ id: 'a' }, { id: 'b' }))
    expect(printed.split('\n').filter((line) => /^ {4}"[ab]": \{/.test(line))).toHaveLength(2)
    expect(JSON.parse(printed)).toEqual(tableOf({ id: 'a' }, { id: 'b' }))
  })
})

describe('a table from pi-ai', () => {
  const cost = { input: 2, output: 10, cacheRead: 0, cacheWrite: 0 }
  const sonnet = {
    id: 'claude-sonnet-4-6',
    type: 'chat',
    reasoning: true,
    input: ['text', 'image'],
    contextWindow: 1000,
    maxTokens: 100,
    cost: { ...cost, tiers: [{ inputTokensAbove: 500, input: 4, output: 20, cacheRead: 0.4, cacheWrite: 5 }] },
  }
  const read = (...models: { id: string; type: string; [field: string]: unknown }[]) =>
    readPiCatalogue('anthropic', { wire: Object.fromEntries(models.map((model) => [`x:${model.id}`, model])) })

  it('has the same facts; a cache price of zero is unknown', () => {
    const { models } = toModelTable(read(sonnet), dated)
    expect(models['claude-sonnet-4-6']).toEqual({
      contextWindow: 1000,
      maxOutputTokens: 100,
      usdPerMillion: [2, 10],
      longPrompt: { aboveInputTokens: 500, usdPerMillion: [4, 20, 0.4, 5] },
      reads: ['image', 'pdf'],
      tools: true,
      reasoning: true,
      temperature: true,
    })
  })

  it.each([
    ['claude-haiku-4-5', true],
    ['claude-opus-4-7', false],
    ['claude-sonnet-5', false],
    ['claude-fable-5-1', false],
  ])('knows whether %s takes a temperature', (id, temperature) => {
    expect(read({ ...sonnet, id })[0]?.facts).toMatchObject({ temperature })
  })

  it('has only chat models', () => {
    expect(read(sonnet, { ...sonnet, id: 'painter', type: 'image' }).map(({ id }) => id)).toEqual([sonnet.id])
  })
})

const files = globSync('packages/providers-*/src/models.json', { cwd: root })

describe('the tables of the packages', () => {
  it('exist', () => {
    expect(files.length).toBeGreaterThanOrEqual(5)
  })

  it.each(files)('%s is dated, sorted, without duplicates, and with valid numbers', (file) => {
    const printed = readFileSync(join(root, file), 'utf8')
    // Each field is checked below.
    const table = JSON.parse(printed) as ModelTable
    expect(table.source).not.toBe('')
    expect(table.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(printTable(table), 'made by scripts/refresh-models.ts').toBe(printed)
    const ids = Object.keys(table.models)
    expect(printed.match(/^ {4}"/gm)).toHaveLength(ids.length)
    expect(ids).toEqual([...ids].sort())
    for (const facts of Object.values(table.models)) {
      const { contextWindow = 1, maxOutputTokens = 1, usdPerMillion = [0, 0], longPrompt } = facts
      expect(maxOutputTokens).toBeGreaterThan(0)
      expect(maxOutputTokens).toBeLessThanOrEqual(contextWindow)
      for (const rates of [usdPerMillion, longPrompt?.usdPerMillion ?? [0, 0]]) {
        expect(rates.length).toBeGreaterThanOrEqual(2)
        expect(rates.length).toBeLessThanOrEqual(4)
        expect(Math.min(...rates)).toBeGreaterThanOrEqual(0)
      }
    }
  })
})
