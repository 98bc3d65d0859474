import { expect, it } from 'vitest'
import { filePart, isBase64, readDataURL } from './data-url.ts'

const unknown = 'application/octet-stream'

it.each([
  ['text/markdown', 'notes.md', { type: 'file', mediaType: 'text/markdown', name: 'notes.md' }],
  // As browsers send files whose type they do not know.
  ['', 'Notes.MD', { type: 'file', mediaType: 'text/markdown', name: 'Notes.MD' }],
  [unknown, 'config.yaml', { type: 'file', mediaType: 'application/yaml', name: 'config.yaml' }],
  [undefined, 'report.pdf', { type: 'file', mediaType: 'application/pdf', name: 'report.pdf' }],
  [unknown, 'photo.jpg', { type: 'image', mediaType: 'image/jpeg' }],
  ['image/png', 'notes.md', { type: 'image', mediaType: 'image/png' }],
  ['text/plain', 'a.csv', { type: 'file', mediaType: 'text/plain', name: 'a.csv' }],
  ['', 'constructor', { type: 'file', mediaType: unknown, name: 'constructor' }],
  [7, { name: 'a.md' }, { type: 'file', mediaType: unknown }],
])('takes the type %o of the file %o for what it is', (mediaType, name, part) => {
  expect(filePart('aGk=', mediaType, name)).toEqual({ ...part, base64: 'aGk=' })
})

// As browsers write an empty file.
it('takes no file without content', () => {
  expect(readDataURL('data:text/plain;base64,')).toBeUndefined()
  expect(readDataURL('data:text/plain;base64,aGk=')).toEqual({ base64: 'aGk=', mediaType: 'text/plain' })
  expect(isBase64('')).toBe(false)
})
