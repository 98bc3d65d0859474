import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type MemorySpace, memorySpace } from '../__fixtures__/memory-space.ts'
import type { Store } from '../store/store.ts'
import { dimensionsOf, type GenerationOf, generationName } from './generation-name.ts'
import { type Generations, openGenerations } from './generations.ts'

let space: MemorySpace
beforeEach(() => {
  space = memorySpace()
})
afterEach(() => {
  vi.useRealTimers()
})

const madeBy = (embedder?: string, folder = 'docs'): GenerationOf => ({
  folder,
  ...(embedder !== undefined && { embedder }),
  place: ['basic'],
})
const generationsOf = (made: GenerationOf, dimensions?: number): Generations =>
  openGenerations({ openSpace: async () => space, made, ...(dimensions !== undefined && { dimensions }) })

/** Builds a generation like a sync. */
async function build(made: GenerationOf, dimensions: number, completedAt?: string): Promise<string> {
  const name = generationName(made, dimensions)
  const store = await space.open(name, {})
  const { embedder } = made
  await store.setMeta({ ...(embedder !== undefined && { embedder, dimensions }), ...(completedAt && { completedAt }) })
  await store.close()
  return name
}
const embedderOf = (generations: Generations): Promise<string | undefined> =>
  generations.read(async ({ store }) => (await store.meta()).embedder ?? 'none')

it('has names that identify the inputs, and that every store accepts', () => {
  const names = [
    generationName(madeBy('acme/small'), 8),
    generationName(madeBy('acme/small'), 16),
    generationName(madeBy('acme/large'), 8),
    generationName(madeBy(), 0),
    generationName(madeBy('acme/small', 'other'), 8),
  ]
  expect(new Set(names).size).toBe(5)
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{20,44}$/)
  expect(names.map(dimensionsOf)).toEqual([8, 16, 8, 0, 8])
  expect(generationName(madeBy('acme/small'), 8)).toBe(names[0])
})

it('reads nothing where there is nothing, and creates nothing', async () => {
  const generations = generationsOf(madeBy())
  expect(await generations.read(async () => 'read')).toBeUndefined()
  expect(await space.generations()).toEqual([])
})

it('reads the best one: complete, then the one it would build, then of its embedder, then the newest', async () => {
  const small = generationsOf(madeBy('acme/small'), 8)
  await build(madeBy('acme/small'), 8)
  expect(await embedderOf(small)).toBe('acme/small')
  await build(madeBy(), 0, '2026-01-01')
  await build(madeBy('acme/large'), 8, '2026-02-01')
  expect(await embedderOf(generationsOf(madeBy('acme/small'), 8))).toBe('acme/large')
  expect(await embedderOf(generationsOf(madeBy()))).toBe('none')
  await build(madeBy('acme/small'), 8, '2025-01-01')
  expect(await embedderOf(generationsOf(madeBy('acme/small'), 8))).toBe('acme/small')
})

it('knows whether the vectors that it reads are of its embedder', async () => {
  const hasOurs = (generations: Generations): Promise<boolean | undefined> =>
    generations.read(async ({ hasOurVectors }) => hasOurVectors)
  await build(madeBy('acme/small'), 8, '2026-01-01')
  expect(await hasOurs(generationsOf(madeBy('acme/small'), 8))).toBe(true)
  expect(await hasOurs(generationsOf(madeBy('acme/small')))).toBe(true)
  expect(await hasOurs(generationsOf(madeBy('acme/small'), 16))).toBe(false)
  expect(await hasOurs(generationsOf(madeBy('acme/large'), 8))).toBe(false)
  expect(await hasOurs(generationsOf(madeBy()))).toBe(false)
})

it('looks for a newer one at most once a second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const generations = generationsOf(madeBy('acme/large'), 8)
  await build(madeBy('acme/small'), 8, '2026-01-01')
  expect(await embedderOf(generations)).toBe('acme/small')
  await build(madeBy('acme/large'), 8, '2026-01-02')
  expect(await embedderOf(generations)).toBe('acme/small')
  vi.advanceTimersByTime(1001)
  expect(await embedderOf(generations)).toBe('acme/large')
  expect([...space.opened]).toEqual([generationName(madeBy('acme/large'), 8)])
})

it('drops old ones of its folder when no reader is left', async () => {
  const generations = generationsOf(madeBy('acme/large'), 8)
  const old = await build(madeBy('acme/small'), 8, '2020-01-01')
  const other = await build(madeBy('acme/small', 'other'), 8, '2020-01-01')
  const { promise: searching, resolve: searched } = Promise.withResolvers<void>()
  const search = generations.read(async ({ store }) => {
    await searching
    return store.files()
  })
  await vi.waitFor(() => expect(space.opened.has(old)).toBe(true), { timeout: 60_000 })

  const large = await build(madeBy('acme/large'), 8, '2020-01-02')
  const keeping = generations.dropOld(large)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await space.generations()).toContain(old)
  searched()
  expect(await search).toEqual([])
  expect(await keeping).toEqual([old])
  expect((await space.generations()).sort()).toEqual([large, other].sort())
  expect(await embedderOf(generations)).toBe('acme/large')
})

it('keeps vectors that were paid for when it has no embedder itself', async () => {
  const paid = await build(madeBy('acme/small'), 8, '2020-01-01')
  const own = await build(madeBy(), 0, '2020-01-02')
  expect(await generationsOf(madeBy()).dropOld(own)).toEqual([])
  expect(await space.generations()).toEqual([paid, own])
})

it('reads again when another process has replaced the generation', async () => {
  const generations = generationsOf(madeBy('acme/large'), 8)
  const old = await build(madeBy('acme/small'), 8, '2026-01-01')
  let reads = 0
  const found = generations.read(async ({ store }: { store: Store }) => {
    reads++
    if (reads > 1) return (await store.meta()).embedder
    await build(madeBy('acme/large'), 8, '2026-01-02')
    // Its files are deleted.
    throw new Error(`There is no ${old}.`)
  })
  expect(await found).toBe('acme/large')
  expect(reads).toBe(2)
})

it('fails when nothing has replaced it', async () => {
  const generations = generationsOf(madeBy())
  await build(madeBy(), 0, '2026-01-01')
  await expect(generations.read(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

it('is closed after its readers', async () => {
  const generations = generationsOf(madeBy())
  await build(madeBy(), 0, '2026-01-01')
  const { promise: searching, resolve: searched } = Promise.withResolvers<void>()
  const search = generations.read(async ({ store }) => {
    await searching
    return store.files()
  })
  await vi.waitFor(() => expect(space.opened.size).toBe(1), { timeout: 60_000 })
  const closing = generations.close()
  searched()
  expect(await search).toEqual([])
  await closing
  expect(space.opened.size).toBe(0)
  await expect(generations.read(async () => 1)).rejects.toMatchObject({ code: 'invalid-argument' })
})

it('lets all of them go when one cannot be read, so that it closes', async () => {
  await build(madeBy('acme/small'), 8, '2026-01-01')
  let isBroken = false
  const flaky: MemorySpace = {
    ...space,
    async open(name, options) {
      const store = await space.open(name, options)
      return isBroken ? { ...store, meta: () => Promise.reject(new Error('busy')) } : store
    },
  }
  const generations = openGenerations({ openSpace: async () => flaky, made: madeBy('acme/small'), dimensions: 8 })
  expect(await embedderOf(generations)).toBe('acme/small')
  isBroken = true
  await build(madeBy('acme/large'), 8, '2026-01-02')
  await expect(generations.write(generationName(madeBy('acme/small'), 8), async () => {})).rejects.toThrow('busy')
  await generations.close()
  expect([...space.opened]).toEqual([])
})
