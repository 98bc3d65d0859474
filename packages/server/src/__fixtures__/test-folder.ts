import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** A folder for each test, which is removed after it. */
export function testFolder(): { readonly path: string } {
  const folder = { path: '' }
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'agentkit-files-'))
  })
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }))
  return folder
}
