import { afterEach, expect, it, vi } from 'vitest'
import { printTable } from './print.ts'

afterEach(() => void vi.restoreAllMocks())

it('prints columns of equal width, also of names with control characters', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  await printTable([
    ['schedule', 'agent'],
    ['di\ngest\u001b[2J', 'writer'],
    ['東京', 'writer'],
  ])
  expect(write.mock.calls.map(String)).toEqual([
    'schedule               agent\n',
    'di\\u000agest\\u001b[2J  writer\n',
    '東京                   writer\n',
  ])
})
