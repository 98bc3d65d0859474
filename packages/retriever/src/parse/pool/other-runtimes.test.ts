import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

// Bun and Deno lack some functions of Node. Here Node is made to lack them too.

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-runtimes-'))
  await writeFile(join(folder, 'pay.md'), '# Pay\n\nMonthly.\n')
})
afterAll(() => rm(folder, { recursive: true }))

const source = (file: string): string => new URL(file, import.meta.url).href
const filePath = (file: string): string => fileURLToPath(source(file))
const conditions = ['--conditions=@agentkit/source', '--no-warnings']

/** `node:module` as Deno has it, without a compile cache. */
const withoutCompileCache = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const exports = "export const { createRequire } = process.getBuiltinModule('node:module')"
  const url = 'data:text/javascript,' + encodeURIComponent(exports)
  registerHooks({
    resolve: (name, context, next) =>
      name === 'node:module' && context.parentURL?.includes('/parse/pool/') ? { url, shortCircuit: true } : next(name, context),
  })`)}`

it('reads a file where a channel cannot be released, as on Bun', async () => {
  const program = `
    import { fork } from 'node:child_process'
    const child = fork(${JSON.stringify(filePath('./worker-env.ts'))})
    const channel = Object.getPrototypeOf(child.channel)
    delete channel.ref
    delete channel.unref
    child.disconnect()
    ${readPay}`
  expect(await run(program)).toBe('read')
})

it('reads a file where there is no compile cache, as on Deno', async () => {
  expect(await run(readPay, ['--import', withoutCompileCache])).toBe('read')

  const worker: ChildProcess = fork(filePath('./parse-worker.ts'), ['{"limits":{}}'], {
    execArgv: [...conditions, '--import', withoutCompileCache],
  })
  const [message] = await Promise.race([once(worker, 'message'), once(worker, 'exit')])
  worker.kill('SIGKILL')
  expect(message).toEqual({ type: 'ready' })
})

const readPay = `
  const { createParsePool } = await import(${JSON.stringify(source('./parse-pool.ts'))})
  const pool = createParsePool()
  const { outcome } = await pool.read({ file: 'pay.md', path: 'pay.md' }, { maxBytes: 1_000, signal: new AbortController().signal })
  console.log(outcome)
  await pool.close()`

/** What a program prints that Node runs on the sources. */
async function run(program: string, words: string[] = []): Promise<string> {
  const args = [...conditions, ...words, '--input-type=module', '--eval', program]
  return (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout.trim()
}
