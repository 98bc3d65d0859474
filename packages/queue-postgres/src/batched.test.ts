import { expect, it } from 'vitest'
import { batched } from './batched.ts'

it('does the work of the first item at once, and of those that come meanwhile together, in turn', async () => {
  const calls: { items: readonly number[]; end: (error?: Error) => void }[] = []
  const add = batched<number>(
    (items) =>
      new Promise<void>((resolve, reject) => {
        calls.push({ items, end: (error) => (error ? reject(error) : resolve()) })
      }),
  )
  const first = add(1)
  await new Promise(setImmediate)
  const [second, third] = [add(2), add(3)]
  await new Promise(setImmediate)
  expect(calls.map(({ items }) => items)).toEqual([[1]])

  calls[0]?.end()
  await first
  await new Promise(setImmediate)
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3]])
  const fourth = add(4)
  calls[1]?.end(new Error('lost'))
  await expect(second).rejects.toThrow('lost')
  await expect(third).rejects.toThrow('lost')
  await new Promise(setImmediate)
  calls[2]?.end()
  await fourth
  expect(calls.map(({ items }) => items)).toEqual([[1], [2, 3], [4]])
})
