import { expect, it } from 'vitest'
import { compileText } from '../../__fixtures__/compile-text.ts'

it.each([
  ['{@link Order} with its lines.', 'Order with its lines.'],
  ['{@link Order|The order}, or nothing.', 'The order, or nothing.'],
  ['{@linkcode Order}', 'Order'],
  ['The {@link Order}.', 'The Order.'],
  ['{Promise<string>} {@link Order} as text.', 'Order as text.'],
])('reads `@returns %s`, also where it begins with a link', (written, read) => {
  const [compilation] = compileText(`/** Finds it.\n * @returns ${written}\n */\nexport function find(id: string) {}`)
  expect(compilation?.compiled.description).toBe(`Finds it.\n\nReturns: ${read}`)
})
