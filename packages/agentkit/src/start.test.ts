import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const listModules = pathToFileURL(join(import.meta.dirname, '__fixtures__/list-modules.mjs')).href
const program = `
  import { Agent, tool } from '${pathToFileURL(join(import.meta.dirname, 'index.ts')).href}'
  const input = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
  const echo = tool({ name: 'echo', description: 'Repeats.', input, execute: ({ text }) => text })
  new Agent({ name: 'Notes', functions: [echo], model: 'openai/gpt-5-mini' })
`
const folder = mkdtempSync(join(tmpdir(), 'agentkit-start-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a process that constructs an agent', () => {
  it('loads nothing that its first call may need, or that its options do not ask for', async () => {
    const args = ['--conditions=@agentkit/source', `--import=${listModules}`, '--input-type=module', '--eval', program]
    const env = { ...process.env, OPENAI_API_KEY: 'test' }
    const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env })
    const loaded = stderr.split('\n')

    expect(loaded).toContain(pathToFileURL(join(import.meta.dirname, 'agents/agent.ts')).href)
    // An import of one of these loads what each of its exports needs: 5 to 10 ms.
    const heavy = /^node:(?:child_process|crypto|http|https|util|worker_threads)$/
    expect(loaded.filter((url) => heavy.test(url))).toEqual([])
    const later =
      /\/packages\/(?:sessions\/src\/postgres|server|wire|providers-\w+|retriever|functions\/src\/compiler)\//
    expect(loaded.filter((url) => later.test(url))).toEqual([])
  })
})
