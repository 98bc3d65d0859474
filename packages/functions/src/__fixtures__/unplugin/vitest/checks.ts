import { toolFromFunction } from '@agentkit/functions'
import { expect, it } from 'vitest'
import { double } from './tools.ts'

it('has tools in tests', async () => {
  const { name, inputSchema, execute } = toolFromFunction(double)
  expect(name).toBe('double')
  expect(inputSchema).toMatchObject({ properties: { value: { type: 'number', description: 'What to double.' } } })
  expect(await execute({ value: 21 }, {} as never)).toBe(42)
})
