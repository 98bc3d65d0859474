import { scriptedModel } from '@agentkit/testing'
import { Agent, type ModelRequest } from 'agentkit'
import { expect, it } from 'vitest'

/** The words of the last message. */
function question({ messages }: ModelRequest): string {
  const content = messages.at(-1)?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}

it('answers according to the question', async () => {
  const echo = (request: ModelRequest): string => `You asked: ${question(request)}`
  const agent = new Agent({ name: 'Echo', model: scriptedModel([echo, echo]), sessions: ':memory:' })

  expect(await agent.chat('One?')).toBe('You asked: One?')
  expect(await agent.chat('Two?')).toBe('You asked: Two?')
})
