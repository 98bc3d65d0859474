import type { UserPart } from '@agentkit/core'
import { readableMessages } from '@agentkit/wire'
import { describe, expect, it } from 'vitest'
import { type MediaBlock, readsPart, userBlocks } from './user-blocks.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const png = 'iVBORw0KGgo='
const pdf = base64('%PDF-1.7')

function blocksOf(part: UserPart, warnings: string[]): MediaBlock[] {
  const [message] = readableMessages([{ role: 'user', content: [part] }], readsPart, 'claude', warnings)
  return message?.role === 'user' && typeof message.content !== 'string' ? userBlocks(message.content) : []
}

describe('userBlocks', () => {
  it.each(["data:'", 'data:;', 'data:;base64'])('reads a megabyte of %j in a moment', (piece) => {
    const before = process.cpuUsage()
    const base64 = `data:${piece.slice(5).repeat(1_000_000 / piece.length)}`
    blocksOf({ type: 'image', base64 }, [])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  it.each<[string, UserPart, object]>([
    ['an image', { type: 'image', base64: png, mediaType: 'image/png' }, imageOf('image/png', png)],
    ['an image of no type', { type: 'image', base64: '/9j/4AAQ' }, imageOf('image/jpeg', '/9j/4AAQ')],
    [
      'an image of an odd type',
      { type: 'image', base64: '/9j/', mediaType: 'IMAGE/JPG' },
      imageOf('image/jpeg', '/9j/'),
    ],
    ['an image as a data URL', { type: 'image', url: `data:image/gif;base64,${png}` }, imageOf('image/png', png)],
    [
      'an image that says its type twice',
      { type: 'image', base64: `data:image/webp;base64,${png}` },
      imageOf('image/png', png),
    ],
    [
      'an image by address',
      { type: 'image', url: 'https://x/a.png' },
      { type: 'image', source: { type: 'url', url: 'https://x/a.png' } },
    ],
    ['an image as a file', { type: 'file', base64: png, mediaType: 'image/png' }, imageOf('image/png', png)],
    [
      'a PDF',
      { type: 'file', base64: pdf, mediaType: 'application/pdf', name: 'a.pdf' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: pdf }, title: 'a.pdf' },
    ],
    [
      'a PDF by address',
      { type: 'file', url: 'https://x/a.pdf', mediaType: 'application/pdf' },
      { type: 'document', source: { type: 'url', url: 'https://x/a.pdf' } },
    ],
    [
      'a text',
      { type: 'file', base64: base64('a,b\n1,ü'), mediaType: 'text/csv; charset=utf-8', name: 'a.csv' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b\n1,ü' }, title: 'a.csv' },
    ],
    [
      'JSON',
      { type: 'file', base64: base64('{}'), mediaType: 'application/ld+json' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: '{}' } },
    ],
    [
      'an empty text',
      { type: 'file', base64: base64(' '), mediaType: 'text/plain', name: 'a.txt' },
      { type: 'text', text: '[file "a.txt" is empty]' },
    ],
  ])('gives %s', (_name, part, expected) => {
    const warnings: string[] = []
    expect(blocksOf(part, warnings)).toEqual([expected])
    expect(warnings).toEqual([])
  })

  it.each<[string, UserPart, string]>([
    ['an image of another type', { type: 'image', base64: 'Qk0=', mediaType: 'image/bmp' }, '[image left out]'],
    ['an image of nothing', { type: 'image' }, '[image left out]'],
    [
      'an image on a disk (Q76)',
      { type: 'image', url: 'file:///etc/passwd' },
      '[image at file:///etc/passwd left out]',
    ],
    [
      'an image by an address without TLS',
      { type: 'image', url: 'http://example.com/a.png' },
      '[image at http://example.com/a.png left out]',
    ],
    [
      'a PDF by an address without TLS',
      { type: 'file', url: 'http://example.com/a.pdf', mediaType: 'application/pdf', name: 'a.pdf' },
      '[file "a.pdf" at http://example.com/a.pdf left out]',
    ],
    [
      'a file of another type',
      { type: 'file', base64: base64('PK'), mediaType: 'application/zip', name: 'a.zip' },
      '[file "a.zip" left out]',
    ],
    ['a file of nothing', { type: 'file', mediaType: 'application/pdf' }, '[file "file.pdf" left out]'],
    [
      'a text by address',
      { type: 'file', url: 'https://x/a.txt', mediaType: 'text/plain', name: 'a.txt' },
      '[file "a.txt" at https://x/a.txt left out]',
    ],
  ])('says that %s was there, and warns (Q21)', (_name, part, line) => {
    const warnings: string[] = []
    expect(blocksOf(part, warnings)).toEqual([{ type: 'text', text: line }])
    expect(warnings).toHaveLength(1)
  })
})

function imageOf(media_type: string, data: string): object {
  return { type: 'image', source: { type: 'base64', media_type, data } }
}
