import { expect, it } from 'vitest'
import { createHeldBytes } from './held-bytes.ts'

it('bounds the bytes that all requests hold together', () => {
  const hold = createHeldBytes(100)
  const [one, two] = [hold(), hold()]
  expect(one.set(60)).toBe(true)
  expect(two.set(41)).toBe(false)
  expect(two.set(40)).toBe(true)
  expect(one.set(61)).toBe(false)
  expect(one.set(10)).toBe(true)
  expect(two.set(90)).toBe(true)
  two.release()
  two.release()
  expect(one.set(100)).toBe(true)
})
