import { expect, it } from 'vitest'
import { changeLines } from './change-lines.ts'

it('names the added, changed and removed files, and why a file cannot be read', () => {
  const lines = changeLines([
    { file: 'a.md', change: 'added', status: 'ok' },
    { file: 'b.md', change: 'changed', status: 'ok' },
    { file: 'c.pdf', change: 'added', status: 'corrupt', reason: 'It is damaged.' },
    { file: 'd.pdf', change: 'changed', status: 'low-quality', reason: 'Its text may be garbled.' },
    { file: 'e.md', change: 'removed', status: 'ok' },
  ])
  expect(lines).toEqual([
    '+ a.md',
    '+ b.md',
    '+ c.pdf cannot be read: It is damaged.',
    '+ d.pdf is hard to read: Its text may be garbled.',
    '- e.md',
  ])
})

it('counts the changes beyond the first 20', () => {
  const changes = Array.from({ length: 1_021 }, (_, index) => ({
    file: `${index}.md`,
    change: 'added' as const,
    status: 'ok' as const,
  }))
  expect(changeLines(changes)).toHaveLength(21)
  expect(changeLines(changes).at(-1)).toBe('… and 1,001 more files')
})
