import { expect, it } from 'vitest'
import { MessageCache } from './message-cache.ts'

it('keeps so many sessions of so many characters, those that were loaded last', () => {
  const cache = new MessageCache({ sessions: 3, chars: 100 })
  const runs = { last: 1, count: 1, attempts: 1, replaced: 0, done: 1 }
  const kept = (): number[] => [1, 2, 3, 4, 5].filter((session) => cache.get(session))
  for (const session of [1, 2, 3, 1, 4]) cache.set(session, { messages: [], runs, chars: 10 })
  expect(kept()).toEqual([1, 3, 4])
  cache.set(5, { messages: [], runs, chars: 85 })
  expect(kept()).toEqual([4, 5])
  cache.set(5, { messages: [], runs, chars: 101 })
  expect(kept()).toEqual([])
  cache.set(1, { messages: [], runs, chars: 100 })
  expect(kept()).toEqual([1])
  cache.forget(1)
  expect(kept()).toEqual([])
})
