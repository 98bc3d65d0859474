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
})
