import { expect, it } from 'vitest'
import type { StoreMeta } from '../store/store.ts'
import { type GenerationOf, generationName } from './generation-name.ts'
import { keptGenerations, type OtherGeneration } from './kept-generations.ts'

const made = (embedder?: string): GenerationOf => ({ folder: 'docs', place: ['basic'], ...(embedder && { embedder }) })
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString()

function other(embedder: string, meta: StoreMeta, dimensions = 8): OtherGeneration {
  return { name: generationName(made(embedder), dimensions), meta: { embedder, dimensions, ...meta } }
}

it('keeps one that another embedder has used within a day, complete or not', () => {
  const used = other('acme/used', { completedAt: hoursAgo(99), usedAt: hoursAgo(23) })
  const begun = other('acme/begun', { usedAt: hoursAgo(1) })
  const old = other('acme/old', { completedAt: hoursAgo(99), usedAt: hoursAgo(25) })
  expect(keptGenerations([old, used], made('acme/own'), 8)).toEqual([used.name])
  expect(keptGenerations([begun], made('acme/own'), 8)).toEqual([begun.name])
})

it('keeps at most two, the last used ones', () => {
  const others = [5, 1, 3].map((hours) => other(`acme/${hours}`, { usedAt: hoursAgo(hours) }))
  expect(keptGenerations(others, made('acme/own'), 8)).toEqual([others[1]?.name, others[2]?.name])
})

it('does not keep one without vectors, or one of another version', () => {
  const text = { name: generationName(made(), 0), meta: { completedAt: hoursAgo(1) } }
  const version = { name: 'f0123456789-0123456789-8', meta: { embedder: 'acme/small', usedAt: hoursAgo(1) } }
  expect(keptGenerations([text, version], made('acme/own'), 8)).toEqual([])
})

it('keeps other vectors of its own embedder only if their length is declared', () => {
  const longer = other('acme/own', { usedAt: hoursAgo(1) }, 16)
  expect(keptGenerations([longer], made('acme/own'), 8)).toEqual([longer.name])
  expect(keptGenerations([longer], made('acme/own'), undefined)).toEqual([])
})

it('keeps all vectors when it has no embedder', () => {
  const old = other('acme/old', { completedAt: hoursAgo(999) })
  expect(keptGenerations([old, { name: generationName(made(), 0), meta: {} }], made(), undefined)).toEqual([old.name])
})
