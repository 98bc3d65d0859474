import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'agentkit-ended-runs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Of questions with 50,000. Measured on Node 22, 24 and 26: up to 18,000, and 33,000 where a Map or Set leads to ended runs. */
const mostBytesPerRun = 25_000

describe('runs that have ended', () => {
  it('are collected without a full collection', async () => {
    // A process of its own: the heap of other tests would be measured too.
    const fixture = fileURLToPath(new URL('../__fixtures__/ended-runs.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fixture, folder])
    // Less than nothing, where the heap has become smaller.
    expect(stdout).toMatch(/^-?\d+\n$/)
    expect(Number(stdout)).toBeLessThan(mostBytesPerRun)
  })
})
