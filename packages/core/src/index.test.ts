import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const entry = new URL('./index.ts', import.meta.url).href

it('is imported without a schema library, a validator or anything else from outside', async () => {
  const loaded = await modulesLoadedBy(`await import(${JSON.stringify(entry)})`)
  expect(loaded).toContain(entry)
  expect(loaded.filter((url) => url.includes('/node_modules/'))).toEqual([])
  expect(loaded.filter((url) => !url.startsWith('node:') && !url.startsWith(new URL('.', entry).href))).toEqual([])
})

it('loads a validator only when a JSON Schema is used', async () => {
  const loaded = await modulesLoadedBy(`
    const { Agent, tool } = await import(${JSON.stringify(entry)})
    const act = tool({ name: 'act', description: 'd', input: { type: 'object' }, execute: () => 1 })
    const model = { id: 'a/b', async *stream() { throw new Error('down') } }
    await new Agent({ name: 'Test', functions: [act], model }).stream('Go').result
  `)
  expect(loaded.some((url) => url.includes('@cfworker/json-schema'))).toBe(true)
  expect(loaded.filter((url) => /node_modules\/(zod|valibot|arktype)/.test(url))).toEqual([])
})

/** The URL of every module that a fresh process loads while it runs the code. */
async function modulesLoadedBy(code: string): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    ${code}
    console.log(JSON.stringify(loaded))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
  return JSON.parse(stdout)
}
