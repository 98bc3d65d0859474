import { scriptedModel } from '@agentkit/testing'
import { Agent, tool } from 'agentkit'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'

it('calls a tool, and gives the model its result', async () => {
  const lookUp = vi.fn(async ({ city }: { city: string }) => ({ city, celsius: 12 }))
  const weather = tool({
    name: 'weather',
    description: 'The weather in a city.',
    input: z.object({ city: z.string() }),
    execute: lookUp,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'weather', input: { city: 'Oslo' } }] }, 'It is 12 °C.'])
  const agent = new Agent({ name: 'Weather', functions: [weather], model, sessions: ':memory:' })

  expect(await agent.chat('How warm is Oslo?')).toBe('It is 12 °C.')
  expect(lookUp.mock.calls[0]?.[0]).toEqual({ city: 'Oslo' })
  expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', name: 'weather' })
})
