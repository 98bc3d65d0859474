import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import { estimateRequest } from './estimate-tokens.ts'
import type { ModelRequest } from './model.ts'
import { promptGauge } from './prompt-gauge.ts'

const model = scriptedModel([])
const other = scriptedModel([], { id: 'test/other' })
const request: ModelRequest = { messages: [{ role: 'user', content: 'One '.repeat(500) }] }
const estimate = estimateRequest(request)

it('never counts less than what its model has told before', () => {
  const gauge = promptGauge()
  gauge.learn(model, 9_000)
  gauge.learn(model, 100)
  expect(gauge.estimate(model, request)).toBe(9_000)
  expect(gauge.estimate(other, request)).toBe(estimate)
})

it('is not lowered by a model that tells less than it was sent', () => {
  const gauge = promptGauge()
  gauge.learn(model, 10)
  expect(gauge.estimate(model, request)).toBe(estimate)
})
