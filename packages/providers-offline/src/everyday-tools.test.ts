import { Agent, tool } from '@agentkit/core'
import { expect, it } from 'vitest'
import { offline } from './offline.ts'

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }
const exchange = {
  type: 'object',
  properties: {
    amount: { type: 'number' },
    from: { type: 'string', description: 'ISO currency code' },
    to: { type: 'string', description: 'ISO currency code' },
  },
  required: ['amount', 'from', 'to'],
}

/** What a first tool looks like in many a tutorial. */
const functions = [
  tool({
    name: 'add_numbers',
    description: 'Add two numbers.',
    input: numbers,
    execute: ({ a, b }) => Number(a) + Number(b),
  }),
  tool({
    name: 'multiply',
    description: 'Multiply two numbers.',
    input: numbers,
    execute: ({ a, b }) => Number(a) * Number(b),
  }),
  tool({
    name: 'add_todo',
    description: 'Add an item to the todo list.',
    input: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
    execute: ({ item }) => `Added ${item}.`,
  }),
  tool({
    name: 'convert_currency',
    description: 'Convert an amount of money from one currency to another.',
    input: exchange,
    execute: ({ amount, to }) => ({ result: Number(amount) * 2, currency: to }),
  }),
]

it.each([
  ['add 3 and 4', 'The result of add_numbers is 7.'],
  ['what is 12 plus 30?', 'The result of add_numbers is 42.'],
  ['what is the sum of 5 and 6', 'The result of add_numbers is 11.'],
  ['what is 6 times 7', 'The result of multiply is 42.'],
  ['add milk to my todo list', 'Added milk.'],
  ['convert 50 dollars to yen', 'The result is 100 (from convert_currency).'],
  ['How much is 50 dollars in yen?', 'The result is 100 (from convert_currency).'],
])('answers "%s"', async (question, answer) => {
  const agent = new Agent({ name: 'Test', functions, model: offline().model() })
  expect(await agent.chat(question)).toContain(answer)
})

it('takes no numbers of a statement for a sum', async () => {
  const agent = new Agent({ name: 'Test', functions, model: offline().model() })
  const { steps } = await agent.stream('I have 3 cats and 4 dogs').result
  expect(steps).toBe(1)
})
