import { expect, it } from 'vitest'
import { modelTraits, type TraitTable } from './model-traits.ts'

const table: TraitTable<{ thinks: boolean; levels: number }> = {
  version: /^acme-(\d+)(?:\.(\d+))?/,
  newest: /^acme-/,
  defaults: { thinks: false, levels: 1 },
  rows: [
    [{ since: '4.9' }, { thinks: true, levels: 2 }],
    [{ since: '4.10', name: /-pro$/ }, { levels: 3 }],
    [{ before: '4.0' }, { levels: 0 }],
  ],
}

it.each([
  ['a model that no row describes', 'acme-4.8', { thinks: false, levels: 1 }],
  ['the first version of a row', 'acme-4.9', { thinks: true, levels: 2 }],
  ['4.10 as later than 4.9', 'acme-4.10-pro', { thinks: true, levels: 3 }],
  ['a row whose name does not fit', 'acme-4.10-mini', { thinks: true, levels: 2 }],
  ['a version before the end of a row', 'acme-3', { thinks: false, levels: 0 }],
  ['an alias as the newest', 'acme-latest-pro', { thinks: true, levels: 3 }],
  ['a name without a version', 'other-9', { thinks: false, levels: 1 }],
])('reads %s', (_, model, traits) => {
  expect(modelTraits(model, table)).toEqual(traits)
})
