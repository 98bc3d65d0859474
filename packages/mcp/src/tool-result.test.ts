import { expect, it, vi } from 'vitest'
import { toResult } from './tool-result.ts'

const uri = 'file:///a'
const embedded = (blob: string, mimeType?: string) => ({
  content: [{ type: 'resource' as const, resource: { uri, blob, ...(mimeType !== undefined && { mimeType }) } }],
})

it('shows an embedded image, and the text of an embedded file, which the model cannot read in another way', () => {
  expect(toResult(embedded('iVBORw0KGgo=', 'image/png'), [])).toEqual([
    { type: 'image', base64: 'iVBORw0KGgo=', mediaType: 'image/png' },
  ])
  expect(toResult(embedded('Ym9va3M=', 'text/csv; charset=utf-8'), ['[A note]'])).toBe('books\n[A note]')
})

it.each([
  ['application/pdf', '[resource file:///a, application/pdf, 9 bytes]'],
  [undefined, '[resource file:///a, binary, 9 bytes]'],
])('names an embedded file of the type %s', (mimeType, line) => {
  expect(toResult(embedded('JVBERi0xLjQt', mimeType), [])).toBe(line)
})

it.each([
  [{ content: [{ type: 'text' as const, text: 'No such file.' }] }, 'No such file.\n[A note]'],
  [{ content: [], structuredContent: { reason: 'full' } }, '{"reason":"full"}\n[A note]'],
  [{ content: [] }, 'The tool failed.\n[A note]'],
])('throws a result that its server marks as an error: %j', (result, message) => {
  const thrown = expect.objectContaining({ code: 'tool-error', message })
  expect(() => toResult({ ...result, isError: true }, ['[A note]'])).toThrow(thrown)
})

it('looks for secrets in no more of a failure than its error keeps', () => {
  const replaceAll = vi.spyOn(String.prototype, 'replaceAll')
  const content = [{ type: 'text' as const, text: `The key key-of-ada is wrong. ${'x'.repeat(5_000_000)}` }]
  const fail = (): unknown => toResult({ content, isError: true }, [], ['key-of-ada'])
  expect(fail).toThrow(/^The key \[redacted\] is wrong\. x{16000}/)
  const searched = replaceAll.mock.contexts.map((text) => String(text).length)
  replaceAll.mockRestore()
  expect(Math.max(0, ...searched)).toBeLessThan(100_000)
})
