import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder } from './make-folder.ts'

let place: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'agentkit-folder-'))
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

describe('makeFolder', () => {
  it('makes those above it too, with the mode', () => {
    makeFolder(join(place, 'a/b/c'), 0o700)
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(place, path)).mode & 0o777).toBe(0o700)
  })

  it('leaves one that is there', () => {
    mkdirSync(join(place, 'a'), { mode: 0o755 })
    makeFolder(join(place, 'a'), 0o700)
    expect(statSync(join(place, 'a')).mode & 0o777).toBe(0o755)
  })

  it('follows a link', () => {
    mkdirSync(join(place, 'a'))
    symlinkSync(join(place, 'a'), join(place, 'link'))
    makeFolder(join(place, 'link/b'))
    expect(statSync(join(place, 'a/b')).isDirectory()).toBe(true)
  })

  it.each([
    ['a file', 'file', 'EEXIST'],
    ['below a file', 'file/a/b', 'ENOTDIR'],
    ['below a link to nothing', 'gone/a', 'EEXIST'],
  ])('fails: %s', (_, path, code) => {
    writeFileSync(join(place, 'file'), '')
    symlinkSync(join(place, 'nowhere'), join(place, 'gone'))
    expect(() => makeFolder(join(place, path))).toThrow(expect.objectContaining({ code }))
  })

  it.runIf(process.platform === 'linux')('fails where no one can make one', () => {
    expect(() => makeFolder('/proc/nosuch/a')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })
})
