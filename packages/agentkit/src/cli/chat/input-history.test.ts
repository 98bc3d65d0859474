import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addToHistory, readHistory } from './input-history.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-history-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it('keeps the last 500 lines, each once, for this user alone', () => {
  const file = join(folder, 'agentkit', 'chat-history')
  writeFileSync(join(folder, 'old'), '')
  for (let line = 1; line <= 510; line++) addToHistory(file, `line ${line}`)
  addToHistory(file, 'line 300')
  const lines = readHistory(file)
  expect(lines).toHaveLength(500)
  expect(lines.slice(0, 2)).toEqual(['line 300', 'line 510'])
  expect(lines.filter((line) => line === 'line 300')).toHaveLength(1)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('is empty where it cannot be read, and not kept where it cannot be written', () => {
  writeFileSync(join(folder, 'file'), '')
  const file = join(folder, 'file', 'chat-history')
  addToHistory(file, 'Hello')
  expect(readHistory(file)).toEqual([])
})
