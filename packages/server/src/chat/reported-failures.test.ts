import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('prints no line for a failed run of a server: its client and its log have it', async () => {
  const { pathname } = new URL('../__fixtures__/failing-server.ts', import.meta.url)
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [pathname])
  expect(stdout.match(/"quota"/g)?.length).toBeGreaterThanOrEqual(2)
  expect(stderr).toBe('')
})
