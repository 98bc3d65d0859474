// A process with a store of its own: for each input line, the JSON of a method of `runs` with its arguments, prints the
// JSON of what it returns, or of the error's code. "watch" prints "changed" at each call of the listener.
// node store-process.ts <url> <JSON of options>
import { createInterface } from 'node:readline'
import { isAgentKitError } from '@agentkit/core'
import { postgresSessions } from '../postgres-sessions.ts'

const [url = '', options = '{}'] = process.argv.slice(2)
const store = postgresSessions(url, JSON.parse(options))
// The methods are those that the tests name.
const runs = store.runs as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
await runs.read?.('none')
console.log('open')
for await (const line of createInterface({ input: process.stdin })) {
  const [method, ...values] = JSON.parse(line)
  if (method === 'watch') store.runs?.watch(values[0], () => console.log('changed'))
  try {
    const result = method === 'watch' ? store.runs?.hearsOthers : await runs[method]?.(...values)
    console.log(JSON.stringify(result ?? null))
  } catch (error) {
    console.log(JSON.stringify(isAgentKitError(error) ? error.code : String(error)))
  }
}
await store.close()
