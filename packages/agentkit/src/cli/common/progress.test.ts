import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openProgress } from './progress.ts'
import { textWidth } from './text-width.ts'

const written: string[] = []
const { isTTY, columns } = process.stderr
beforeEach(() => {
  written.length = 0
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  Object.assign(process.stderr, { isTTY: true, columns: 40 })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  Object.assign(process.stderr, { isTTY, columns })
})

it.each([
  ['narrow', 'The agent of the whole company for all its questions is working'],
  ['wide', '会社のすべての質問に答えるエージェント is working'],
  ['escaped', '\u001b[31m\u001b[31m\u001b[31m\u001b[31m is working'],
])('fits a line of %s characters into the terminal, as only its last row can be removed', async (_, title) => {
  const progress = openProgress(title)
  await vi.dynamicImportSettled()
  vi.advanceTimersByTime(1_900)
  expect(written).toEqual([])
  vi.advanceTimersByTime(200)
  const [line = ''] = written
  expect(line.startsWith('\r\u001b[K')).toBe(true)
  expect(line).toMatch(/ 2 s$/)
  expect(textWidth(line.slice(4))).toBeLessThan(40)
  progress.close()
  expect(written.at(-1)).toBe('\r\u001b[K')
})
