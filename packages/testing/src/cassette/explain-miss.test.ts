import type { ModelRequest } from '@agentkit/core'
import { expect, it } from 'vitest'
import { explainMiss, type IndexedCall } from './explain-miss.ts'

const asked = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] })

it('compares some calls of a long cassette, first those that are still to come', () => {
  let compared = 0
  const calls = Array.from({ length: 3_000 }, (_, index): IndexedCall => {
    const recorded = {
      call: index + 1,
      model: 'test/model',
      request: asked(`Question ${index + 1}`),
      events: [],
      at: '',
    }
    return {
      ...{ recorded, index, isTaken: index < 2_000 },
      get request() {
        compared++
        return recorded.request
      },
    }
  })
  expect(explainMiss(asked('Question 2001?'), calls)).toContain('The nearest is call 2001;')
  expect(compared).toBeLessThanOrEqual(200)
})
