import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inspectSQLite } from './inspect-sqlite.ts'
import { sqliteSessions } from './sqlite-sessions.ts'

const { signal } = new AbortController()
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-inspect-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function database(sql: string): void {
  const file = new DatabaseSync(path)
  file.exec(sql)
  file.close()
}

it('a file that is in use is sound, and gets no other files', async () => {
  const store = sqliteSessions(path)
  await store.load({ agentId: 'a', userId: 'b', sessionId: 'c' })
  const before = readdirSync(folder)
  expect(await inspectSQLite(path, signal)).toMatchObject({ status: 'ok' })
  await store.close()
  expect(await inspectSQLite(path, signal)).toMatchObject({ status: 'ok' })
  expect(before).toContain('sessions.db-wal')
  expect(readdirSync(folder)).toEqual(['sessions.db'])
})

it('a file that is not there yet may be made, and is not', async () => {
  expect(await inspectSQLite(join(folder, 'new', 'sessions.db'), signal)).toMatchObject({ status: 'ok' })
  expect(readdirSync(folder)).toEqual([])
})

it('a newer schema, and a database of something else, are named', async () => {
  database('CREATE TABLE other (a); PRAGMA user_version = 99')
  expect(await inspectSQLite(path, signal)).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('newer version'),
  })
  database('PRAGMA user_version = 0')
  expect(await inspectSQLite(path, signal)).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining('something else'),
  })
})

it('nothing is said of a file that this Node cannot read, and it stays where it is', async () => {
  database('CREATE TABLE other (a)')
  const { execPath } = process
  process.execPath = join(folder, 'no-node')
  try {
    const finding = await inspectSQLite(path, signal)
    expect(finding).toEqual({ status: 'skipped', detail: expect.stringContaining('this Node has no SQLite') })
  } finally {
    process.execPath = execPath
  }
})

const mounting = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"'
const unshare = (program: string, ...words: string[]) =>
  spawnSync('unshare', ['-rm', 'sh', '-c', program, 'sh', ...words], { encoding: 'utf8' })

it.runIf(unshare(mounting, import.meta.dirname).status === 0)(
  'advises another path where the disk is read-only',
  () => {
    database('PRAGMA user_version = 0')
    const source = pathToFileURL(join(import.meta.dirname, 'inspect-sqlite.ts')).href
    const inspect = `import { inspectSQLite } from ${JSON.stringify(source)}
    const [, folder, path] = process.argv
    const { signal } = new AbortController()
    for (const at of [path, folder + '/new/sessions.db']) console.log(JSON.stringify(await inspectSQLite(at, signal)))`
    const inspection = `${mounting} && "$2" --conditions=@agentkit/source --no-warnings --input-type=module --eval "$3" "$1" "$4"`
    const { stdout, stderr } = unshare(inspection, folder, process.execPath, inspect, path)
    expect(stderr).toBe('')
    const fix = expect.stringContaining('Choose a path of `sessions` on a disk that can be written')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { status: 'fail', detail: `${path} cannot be written: its disk is read-only.`, fix },
      { status: 'fail', detail: `${folder}/new/sessions.db cannot be made: the disk of ${folder} is read-only.`, fix },
    ])
  },
)
