import { expect, it } from 'vitest'
import type { InputPart, UserPart } from '../../index.ts'
import { toUserMessage } from './input.ts'

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
const base64 = Buffer.from(png).toString('base64')
const webp = Buffer.from('RIFF....WEBPVP8 ')

it('keeps text as it is', () => {
  expect(toUserMessage(' Hello\n')).toEqual({ v: 1, role: 'user', content: ' Hello\n' })
})

it.each<[string, InputPart, UserPart]>([
  ['text', { type: 'text', text: 'Hi' }, { type: 'text', text: 'Hi' }],
  ['image bytes', { type: 'image', data: png }, { type: 'image', base64, mediaType: 'image/png' }],
  [
    'a window on a buffer',
    { type: 'image', data: new Uint8Array([0, 0, ...png, 0]).subarray(2, 9) },
    { type: 'image', base64, mediaType: 'image/png' },
  ],
  [
    'bytes of a jpeg',
    { type: 'image', data: Buffer.from('ffd8ffe0', 'hex') },
    { type: 'image', base64: '/9j/4A==', mediaType: 'image/jpeg' },
  ],
  [
    'bytes of a gif',
    { type: 'image', data: Buffer.from('GIF89a') },
    { type: 'image', base64: 'R0lGODlh', mediaType: 'image/gif' },
  ],
  [
    'bytes of a webp',
    { type: 'image', data: webp },
    { type: 'image', base64: webp.toString('base64'), mediaType: 'image/webp' },
  ],
  [
    'bytes of sound',
    { type: 'image', data: Buffer.from('RIFF....WAVE') },
    { type: 'image', base64: Buffer.from('RIFF....WAVE').toString('base64') },
  ],
  [
    'bytes with a media type',
    { type: 'image', data: png, mediaType: 'image/x-own' },
    { type: 'image', base64, mediaType: 'image/x-own' },
  ],
  [
    'an image by URL',
    { type: 'image', data: new URL('https://example.com/a b.png') },
    { type: 'image', url: 'https://example.com/a%20b.png' },
  ],
  [
    'an image by its url',
    { type: 'image', url: 'https://example.com/a.png' },
    { type: 'image', url: 'https://example.com/a.png' },
  ],
  [
    'an image as base64',
    { type: 'image', base64, mediaType: 'image/png' },
    { type: 'image', base64, mediaType: 'image/png' },
  ],
  [
    'a file',
    { type: 'file', data: png, mediaType: 'application/pdf', name: 'a.pdf' },
    { type: 'file', base64, mediaType: 'application/pdf', name: 'a.pdf' },
  ],
  [
    'bytes of a PDF',
    { type: 'file', data: Buffer.from('%PDF-1.7'), name: 'a.pdf' },
    { type: 'file', base64: 'JVBERi0xLjc=', mediaType: 'application/pdf', name: 'a.pdf' },
  ],
  [
    'a file by URL',
    { type: 'file', data: new URL('https://example.com/a.pdf'), mediaType: 'application/pdf' },
    { type: 'file', url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
  ],
])('converts %s to plain JSON', (_name, part, expected) => {
  const lead: InputPart = { type: 'text', text: 'See:' }
  const message = toUserMessage([lead, part])
  expect(message.content).toEqual([lead, expected])
  expect(JSON.parse(JSON.stringify(message))).toEqual(message)
})

it('copies, as a caller may change its part later', () => {
  const part: InputPart = { type: 'text', text: 'Hi' }
  const message = toUserMessage([part])
  part.text = 'Ho'
  expect(message.content).toEqual([{ type: 'text', text: 'Hi' }])
})

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty text', ''],
  ['blanks', ' \n\t'],
  ['no parts', []],
  ['blank parts', [{ type: 'text', text: ' ' }]],
  ['a part that is null', [null]],
  ['a part that is text', ['Hello']],
  ['an unknown part', [{ type: 'video', url: 'https://example.com' }]],
  ['a text part without text', [{ type: 'text' }]],
  ['an image without a source', [{ type: 'image' }]],
  ['an image with two', [{ type: 'image', base64, url: 'https://example.com/a.png' }]],
  ['an image with bytes and base64', [{ type: 'image', data: png, base64 }]],
  ['an image with a text for bytes', [{ type: 'image', data: 'abc' }]],
  ['an image of no bytes', [{ type: 'image', data: new Uint8Array() }]],
  ['an empty base64', [{ type: 'image', base64: '' }]],
  ['a file without a media type', [{ type: 'file', data: png }]],
  ['a file with a media type that is not text', [{ type: 'file', data: png, mediaType: 7 }]],
  ['a file with a name that is not text', [{ type: 'file', data: png, mediaType: 'application/pdf', name: 7 }]],
  ['an image with a media type that is not text', [{ type: 'image', data: png, mediaType: ['image/png'] }]],
])('refuses %s with the fix', (_name, input) => {
  expect(() => toUserMessage(input as string)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
})

it.each<[unknown, string]>([
  [
    { type: 'image', data: 'iVBORw0KGgo=' },
    'A part of type "image" has a text as `data`, which takes bytes or a URL: pass the text as `base64` or `url`, or what readFile() gives.',
  ],
  [{ type: 'image', data: new Uint8Array() }, 'The `data` of a part of type "image" has no bytes.'],
  [
    { type: 'image_url', image_url: { url: 'https://example.com' } },
    'A part is an object of `type` "text", "image" or "file", not "image_url".',
  ],
  [{ text: 'Hello' }, 'A part is an object of `type` "text", "image" or "file".'],
])('says what is wrong with the part %j', (part, message) => {
  expect(() => toUserMessage([part as InputPart])).toThrow(message)
})
