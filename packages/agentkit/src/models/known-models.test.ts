import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { AgentOptions } from '../agents/options.ts'

const root = new URL('../../../', import.meta.url)

it('are those of the tables of the provider packages (`npm test -- known-models --update` after a change)', async () => {
  const tables = globSync('providers-*/src/models.json', { cwd: root })
  const names = tables.flatMap((path) => {
    const provider = /^providers-([\w-]+)/.exec(path)?.[1]
    const { models } = JSON.parse(readFileSync(new URL(path, root), 'utf8'))
    return Object.keys(models).map((model) => `${provider}/${model}`)
  })
  const text = [
    '/** The models of the providers’ tables, for completion and for misspelt names: any other is accepted too. Generated. */',
    'export const knownModels = [',
    ...names.sort().map((name) => `  '${name}',`),
    '] as const',
    '',
    'export type KnownModelName = (typeof knownModels)[number]',
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot('./known-models.ts')
})

it('complete in the option `model`, which takes any name', () => {
  const known: AgentOptions['model'] = 'openai/gpt-5.4-mini'
  const other: AgentOptions['model'] = 'xai/grok-4'
  expect([known, other]).toHaveLength(2)
})
