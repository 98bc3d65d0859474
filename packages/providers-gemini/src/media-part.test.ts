import type { FilePart, ImagePart } from '@agentkit/core'
import { readableMessages } from '@agentkit/wire'
import { describe, expect, it } from 'vitest'
import { geminiTraits } from './gemini-traits.ts'
import { mediaPart, readsPart } from './media-part.ts'

function convert(part: ImagePart | FilePart, id = 'gemini-3.5-flash'): { part: object; warnings: string[] } {
  const warnings: string[] = []
  const reads = (plain: ImagePart | FilePart): boolean => readsPart(plain, geminiTraits(id))
  const [message] = readableMessages([{ role: 'user', content: [part] }], reads, id, warnings)
  const [read] = message?.role === 'user' && typeof message.content !== 'string' ? message.content : []
  if (!read) throw new Error('The part is gone.')
  return { part: read.type === 'text' ? { text: read.text } : mediaPart(read), warnings }
}

describe('images and files', () => {
  it.each<[part: ImagePart | FilePart, mimeType: string, data: string]>([
    [{ type: 'image', base64: '/9j/AA==' }, 'image/jpeg', '/9j/AA=='],
    [{ type: 'image', base64: 'AAAA', mediaType: 'image/jpg' }, 'image/jpeg', 'AAAA'],
    [{ type: 'image', url: 'data:image/webp;base64,BBBB' }, 'image/webp', 'BBBB'],
    [{ type: 'image', base64: 'data:image/png;base64,CCCC' }, 'image/png', 'CCCC'],
    [{ type: 'file', base64: 'DDDD', mediaType: 'application/pdf', name: 'a.pdf' }, 'application/pdf', 'DDDD'],
    [{ type: 'file', base64: 'EEEE', mediaType: 'audio/mpeg' }, 'audio/mpeg', 'EEEE'],
    [{ type: 'file', base64: 'FFFF', mediaType: 'application/json' }, 'text/plain', 'FFFF'],
    [{ type: 'file', url: 'data:text/csv;base64,GGGG', mediaType: 'text/csv' }, 'text/csv', 'GGGG'],
  ])('%j are sent along', (part, mimeType, data) => {
    expect(convert(part)).toEqual({ part: { inlineData: { mimeType, data } }, warnings: [] })
  })

  it.each<[part: ImagePart | FilePart, mimeType: string]>([
    [{ type: 'image', url: 'https://example.com/a.png?b=c' }, 'image/png'],
    [{ type: 'image', url: 'https://example.com/a' }, 'image/jpeg'],
    [{ type: 'image', url: 'https://example.com/a.png', mediaType: 'image/heic' }, 'image/heic'],
    [{ type: 'file', url: 'gs://bucket/a.pdf', mediaType: 'application/pdf' }, 'application/pdf'],
  ])('%j are fetched by Gemini', (part, mimeType) => {
    expect(convert(part)).toEqual({ part: { fileData: { fileUri: part.url, mimeType } }, warnings: [] })
  })

  it.each<[part: ImagePart | FilePart, text: string, id?: string]>([
    [{ type: 'image', base64: 'R0lGODlh' }, '[image left out]'],
    [{ type: 'image', url: 'http://example.com/a.png' }, '[image at http://example.com/a.png left out]'],
    [{ type: 'image', url: 'https://example.com/a.gif' }, '[image at https://example.com/a.gif left out]'],
    [{ type: 'file', base64: 'AAAA', mediaType: 'application/zip', name: 'a.zip' }, '[file "a.zip" left out]'],
    [{ type: 'image' }, '[image left out]'],
    [
      { type: 'image', url: 'https://example.com/a.png' },
      '[image at https://example.com/a.png left out]',
      'gemini-2.0-flash',
    ],
  ])('%j become a line of text, with a warning', (part, text, id) => {
    expect(convert(part, id)).toEqual({
      part: { text },
      warnings: [expect.stringMatching(/does not read|neither data nor/)],
    })
  })

  it('that Google hosts are read by older models, too', () => {
    const url = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
    const file: FilePart = { type: 'file', url, mediaType: 'video/mp4' }
    expect(convert(file, 'gemini-2.0-flash').part).toEqual({ fileData: { fileUri: url, mimeType: 'video/mp4' } })
  })
})
