import { describe, expect, it } from 'vitest'
import { fileName, hasNonWebURL, isCommonImage, isTextType, mediaSource, mediaURL } from './media.ts'

const pdf = { type: 'file', base64: 'JVBE', mediaType: 'application/pdf' } as const

describe('the content of a part', () => {
  it('is its bytes with their type, or its address', () => {
    expect(mediaSource(pdf)).toEqual({ base64: 'JVBE', mediaType: 'application/pdf' })
    expect(mediaSource({ type: 'image', base64: '/9j/4AAQ' })).toEqual({ base64: '/9j/4AAQ', mediaType: 'image/jpeg' })
    expect(mediaSource({ type: 'image', base64: 'AAAA' })).toEqual({ base64: 'AAAA', mediaType: 'image/png' })
    expect(mediaSource({ type: 'image', url: 'https://example.com/a.png' })).toEqual({
      url: 'https://example.com/a.png',
      mediaType: undefined,
    })
  })

  it('is also one URL', () => {
    expect(mediaURL(pdf)).toBe('data:application/pdf;base64,JVBE')
    expect(mediaURL({ type: 'image', url: 'https://example.com/a.png' })).toBe('https://example.com/a.png')
  })
})

it.each([
  [{ ...pdf, name: 'a.pdf' }, 'a.pdf'],
  [pdf, 'file.pdf'],
  [{ ...pdf, mediaType: 'text/markdown' }, 'file.md'],
  [{ ...pdf, mediaType: '' }, 'file.bin'],
])('names %j', (part, name) => {
  expect(fileName(part)).toBe(name)
})

it('recognizes the image formats that every model with vision reads', () => {
  const image = { type: 'image', base64: 'iVBO' } as const
  const common = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
  expect(common.every((mediaType) => isCommonImage({ ...image, mediaType }))).toBe(true)
  expect(isCommonImage(image)).toBe(true)
  expect(isCommonImage({ ...image, mediaType: 'image/svg+xml' })).toBe(false)
  expect(isCommonImage({ type: 'image', url: 'gs://bucket/a.png' })).toBe(false)
  expect(isCommonImage(pdf)).toBe(false)
})

it('recognizes addresses that only their owner can fetch', () => {
  expect(hasNonWebURL({ type: 'image', url: 'gs://bucket/a.png' })).toBe(true)
  expect(hasNonWebURL({ type: 'image', url: 'https://example.com/a.png' })).toBe(false)
  expect(hasNonWebURL(pdf)).toBe(false)
})

it.each(['text/csv', 'application/json', 'application/ld+json', 'application/x-yaml', 'application/jsonl'])(
  'recognizes %s as text',
  (mediaType) => {
    expect(isTextType(mediaType)).toBe(true)
  },
)

it.each(['application/pdf', 'image/svg+xml', 'audio/mpeg'])('recognizes that %s is not text', (mediaType) => {
  expect(isTextType(mediaType)).toBe(false)
})
