import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** A new path in a folder that is removed after the tests of a file. */
export function temporaryFiles(): (name?: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'agentkit-cassette-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return (name = 'test.cassette') => join(folder, `${++count}`, name)
}
