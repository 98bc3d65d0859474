import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openFile } from './sqlite-database.ts'

it.each([
  ['normal', 1],
  ['full', 2],
] as const)(
  'opens every connection in write-ahead mode, with short waits: durability %s',
  async (durability, level) => {
    const folder = await mkdtemp(join(tmpdir(), 'agentkit-sessions-'))
    const { database } = openFile(join(folder, 'sessions.db'), durability)
    const pragma = (name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
    expect(pragma('journal_mode')).toBe('wal')
    expect(pragma('synchronous')).toBe(level)
    expect(pragma('foreign_keys')).toBe(1)
    expect(pragma('busy_timeout')).toBeLessThanOrEqual(50)
    database.close()
    await rm(folder, { recursive: true })
  },
)
