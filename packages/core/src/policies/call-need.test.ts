import { scriptedModel } from '@agentkit/testing'
import { expect, it } from 'vitest'
import type { ModelRequest } from '../contracts/model.ts'
import { estimateRequest } from '../tokens/estimate-tokens.ts'
import { PromptEstimator } from './call-need.ts'

const model = scriptedModel([])
const other = scriptedModel([], { id: 'test/other' })
const long: ModelRequest = { messages: [{ role: 'user', content: 'One '.repeat(500) }] }
const short: ModelRequest = { messages: [{ role: 'user', content: 'One' }] }
const [longTokens, shortTokens] = [estimateRequest(long), estimateRequest(short)]

it('adds the most by which its model has exceeded the estimate', () => {
  const prompts = new PromptEstimator()
  prompts.learn(model, long, longTokens + 700)
  prompts.learn(model, long, longTokens + 300)
  expect(prompts.estimate(model, long)).toBe(longTokens + 700)
  expect(prompts.estimate(model, short)).toBe(shortTokens + 700)
  expect(prompts.estimate(other, long)).toBe(longTokens)
})

it('is not lowered by a model that reports less than it was sent', () => {
  const prompts = new PromptEstimator()
  prompts.learn(model, long, 10)
  expect(prompts.estimate(model, long)).toBe(longTokens)
})
