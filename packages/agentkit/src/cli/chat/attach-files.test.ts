import { truncateSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { useFolder } from '../../__fixtures__/use-folder.ts'
import { attachFiles } from './attach-files.ts'

const folder = useFolder()

describe('the files of a message', () => {
  it.each([
    ['Read @notes.md', ['notes.md']],
    ['What is in @notes.md?', ['notes.md']],
    ['(see @notes.md), and @"my notes.md".', ['notes.md', 'my notes.md']],
    ['@notes.md and @notes.md', ['notes.md']],
    ['Ask @ann. Then @bob, please', []],
    ['How is @agentkit/core installed?', []],
    ['What does @Get("/users/:id") do?', []],
    ['ann@example.com', []],
    ['Why does it fail?\n@pytest.fixture\ndef one(): ...\n@app.task', []],
    ['Is @example.com ours, and what is @angular/core@17.0?', []],
    // Without spaces, as in Chinese, and longer than the name of a file can be.
    [`@ann${'请告诉我'.repeat(30)}`, []],
    [`@${'a'.repeat(5_000)}/b`, []],
  ])('of "%s" are %j', (text, names) => {
    folder.write('notes.md', 'One.')
    folder.write('my notes.md', 'Two.')
    expect(attachFiles(text).map(({ name }) => name)).toEqual(names)
  })

  it.each(['missing.md', 'Missing.DOCX', 'code/missing.ts', 'docs/missing', './missing', '/missing/guide'])(
    'are not sent without @%s',
    (name) => {
      folder.write('docs/notes.md', 'One.')
      expect(() => attachFiles(`Read @${name}.`)).toThrow(`There is no file "${name}".`)
    },
  )

  it('are ten at most, and no folder', () => {
    const names = Array.from({ length: 11 }, (_, index) => `${index}.md`)
    for (const name of names) folder.write(name, 'One.')
    const message = (some: readonly string[]) => some.map((name) => `@${name}`).join(' ')
    expect(attachFiles(message(names.slice(1)))).toHaveLength(10)
    expect(() => attachFiles(message(names))).toThrow('A message takes 10 files, not 11.')
    folder.write('docs/notes.md', 'One.')
    expect(() => attachFiles('Read @docs')).toThrow('"docs" is a folder: name its files.')
  })

  it('are bounded, texts more than others', () => {
    folder.write('long.txt', 'x'.repeat(1_000_001))
    expect(() => attachFiles('Read @long.txt')).toThrow('"long.txt" has more than 1 MB of text.')
    folder.write('large.png', '')
    truncateSync('large.png', 20_000_001)
    expect(() => attachFiles('See @large.png')).toThrow('"large.png" has more than 20 MB.')
  })
})
