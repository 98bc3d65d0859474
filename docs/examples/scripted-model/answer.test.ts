import { scriptedModel } from '@agentkit/testing'
import { Agent } from 'agentkit'
import { expect, it } from 'vitest'

it('answers in the words of the script', async () => {
  const model = scriptedModel(['Take an umbrella.', 'Yes, I am sure.'])
  const agent = new Agent({ name: 'Weather', instruction: 'You answer briefly.', model, sessions: ':memory:' })

  expect(await agent.chat('Rain in Oslo?', { sessionId: 'ada' })).toBe('Take an umbrella.')
  expect(await agent.chat('Are you sure?', { sessionId: 'ada' })).toBe('Yes, I am sure.')

  // What the model was sent: here the instruction, and the conversation so far.
  const [, second] = model.requests
  expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
})
