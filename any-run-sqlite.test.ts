import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { converse } from './packages/core/src/__fixtures__/any-run/converse.ts'
import { sqliteSessions } from './packages/sessions/src/sqlite/sqlite-sessions.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentkit-any-run-'))
})
afterEach(() => rm(folder, { recursive: true }))

// At the root, as it uses core's random conversations with the store of another package. A failure prints its seed.
it.each([0, 1, 2])('keeps every invariant in random conversations on a disk (ten %i)', async (ten) => {
  const problems = await Promise.all(
    Array.from({ length: 10 }, (_, index) => {
      const seed = ten * 10 + index
      return converse(seed, { open: () => sqliteSessions(join(folder, `${seed}.db`)) })
    }),
  )
  expect(problems.flat()).toEqual([])
})
