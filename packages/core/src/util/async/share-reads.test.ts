import { expect, it } from 'vitest'
import { shareRead } from './share-reads.ts'

const store = {}

it('reads once for callers of one turn, and gives each a value of its own', async () => {
  let reads = 0
  const read = async (): Promise<{ numbers: number[] }> => ({ numbers: [++reads] })
  const [one, other] = await Promise.all([shareRead(store, 'a', read), shareRead(store, 'a', read)])
  one.numbers.push(7)
  expect([one, other, reads]).toEqual([{ numbers: [1, 7] }, { numbers: [1] }, 1])
})

it('reads again for a caller that comes when a read has begun: it may have missed a write', async () => {
  let stored = 'before'
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const early = shareRead(store, 'a', async () => {
    const value = stored
    begin()
    await finished
    return value
  })
  await begun
  stored = 'after'
  const late = shareRead(store, 'a', async () => stored)
  finish()
  expect(await Promise.all([early, late])).toEqual(['before', 'after'])
})

it('shares no read of another key or another store, and none that has failed', async () => {
  const texts = ['a', 'b'].map((key) => shareRead(store, key, async () => key))
  expect(await Promise.all([...texts, shareRead({}, 'a', async () => 'other')])).toEqual(['a', 'b', 'other'])
  await expect(shareRead(store, 'a', () => Promise.reject(new Error('The store is away.')))).rejects.toThrow('away')
  expect(await shareRead(store, 'a', async () => 'back')).toBe('back')
})
