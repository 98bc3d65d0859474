import { type Tool, type ToolFunction, toolOfFunction } from '@agentkit/core'
import greet, { Counter } from './tools/counter.mts'
import { findOrders, helpers, refund } from './tools/orders.ts'

const counter = new Counter(40)
const calls: [ToolFunction, unknown][] = [
  [findOrders, { customerId: 'c1', since: '2024-05-06T00:00:00.000Z' }],
  [refund, { orderId: 'o1', money: { amount: 12.5, currency: 'USD' } }],
  [greet, { name: 'Ada' }],
  [counter.add.bind(counter), { amount: 2 }],
]

const tools = []
for (const [plain, input] of calls) {
  const { name, description, inputSchema, execute } = plain[toolOfFunction] as Tool
  tools.push({ name, description, inputSchema, result: await execute(input, {} as never) })
}

const refused = helpers.map((helper: ToolFunction) => thrownBy(() => helper[toolOfFunction]))
const refusals = refused.map((error) => ({ code: error?.code, message: error?.message }))
const stack = thrownBy(() => greet(''))?.stack

console.log(JSON.stringify({ tools, refusals, stack }))

function thrownBy(work: () => unknown): (Error & { code?: string }) | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return error as Error & { code?: string }
  }
}
