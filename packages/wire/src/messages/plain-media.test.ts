import type { FilePart, ImagePart } from '@agentkit/core'
import { describe, expect, it } from 'vitest'
import { plainMedia } from './plain-media.ts'

const png = 'iVBORw0KGgoA'
const jpeg = '/9j/4AAQSkZJ'
const image = (part: object): ImagePart => ({ type: 'image', ...part })
const file = (part: object): FilePart => ({ type: 'file', ...part }) as FilePart

describe('a part', () => {
  it.each([
    image({ base64: png }),
    image({ base64: png, mediaType: 'image/png' }),
    image({ url: 'https://example.com/a.png' }),
    file({ base64: 'JVBERi0x', mediaType: 'application/pdf' }),
    file({ url: 'gs://bucket/a.pdf', mediaType: 'application/pdf' }),
  ])('in its plain form stays the same: %j', (part) => {
    expect(plainMedia(part)).toBe(part)
  })

  it.each<[ImagePart | FilePart, object]>([
    [image({ url: `data:image/png;base64,${png}` }), { base64: png, mediaType: 'image/png' }],
    [image({ base64: `data:image/png;base64,${png}` }), { base64: png, mediaType: 'image/png' }],
    [image({ base64: png, mediaType: 'image/*' }), { base64: png, mediaType: 'image/png' }],
    [image({ base64: jpeg, mediaType: 'image/jpg' }), { base64: jpeg, mediaType: 'image/jpeg' }],
    [image({ base64: jpeg, mediaType: 'image/png' }), { base64: jpeg, mediaType: 'image/jpeg' }],
    [image({ base64: 'AAAA', mediaType: 'image/jpg' }), { base64: 'AAAA', mediaType: 'image/jpeg' }],
    [image({ base64: 'AAAA', mediaType: 'image/*' }), { base64: 'AAAA', mediaType: 'image/png' }],
    [image({ base64: 'PHN2', mediaType: 'image/svg+xml; charset=utf-8' }), { mediaType: 'image/svg+xml' }],
    [image({ base64: ' iVBORw0K\n Ggo ' }), { base64: 'iVBORw0KGgo=' }],
    [image({ base64: '_9j_4AA-' }), { base64: '/9j/4AA+', mediaType: 'image/jpeg' }],
    [file({ base64: jpeg, mediaType: 'image/png' }), { type: 'image', mediaType: 'image/jpeg' }],
    [
      file({ url: 'data:text/plain,hello%20w', mediaType: 'text/plain' }),
      { base64: 'aGVsbG8gdw==', mediaType: 'text/plain' },
    ],
    [
      file({ base64: Buffer.from('\ufeffa;ü', 'utf16le').toString('base64'), mediaType: 'text/csv' }),
      { base64: Buffer.from('a;ü').toString('base64'), mediaType: 'text/csv' },
    ],
    [
      file({ base64: Buffer.from('\ufeffa;ü', 'utf16le').swap16().toString('base64'), mediaType: 'text/csv' }),
      { base64: Buffer.from('a;ü').toString('base64'), mediaType: 'text/csv' },
    ],
    [file({ base64: '//4AAA==', mediaType: 'application/zip' }), { base64: '//4AAA==' }],
    [file({ url: 'data:,50%25%', mediaType: 'text/plain' }), { base64: Buffer.from('50%25%').toString('base64') }],
    [
      file({ url: 'data:application/pdf;base64,JVBE', mediaType: '' }),
      { base64: 'JVBE', mediaType: 'application/pdf' },
    ],
    [file({ url: 'https://example.com/a.svg', mediaType: 'image/svg+xml' }), { type: 'image' }],
    [file({ base64: 'JVBE' }), { mediaType: 'application/octet-stream' }],
    [file({ url: 'https://example.com/a' }), { mediaType: 'application/octet-stream' }],
  ])('is converted: %j', (part, plain) => {
    const made = plainMedia(part)
    expect(made).toMatchObject(plain)
    if (made?.base64) expect(made).not.toHaveProperty('url')
  })

  it('of a megabyte of padding is scanned quickly', () => {
    const before = process.cpuUsage()
    for (const base64 of ['='.repeat(1_000_000), `${'='.repeat(1_000_000)}A`]) plainMedia(image({ base64 }))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  it.each([
    image({}),
    image({ base64: '' }),
    image({ base64: ' \n' }),
    image({ base64: '/etc/passwd.png' }),
    image({ base64: '/etc/hostname' }),
    image({ base64: 'a===' }),
    image({ base64: 'ab=cdefg' }),
    image({ base64: '====' }),
    image({ url: 'file:///etc/passwd' }),
    image({ url: '/etc/passwd' }),
    image({ url: 'data:image/png;base64,' }),
    file({ url: 'blob:1234', mediaType: 'application/pdf' }),
  ])('without content is undefined: %j', (part) => {
    expect(plainMedia(part)).toBeUndefined()
  })

  it('that is frozen is converted once', () => {
    const part = Object.freeze(image({ base64: png, mediaType: 'image/*' }))
    expect(plainMedia(part)).toBe(plainMedia(part))
    expect(plainMedia({ ...part })).not.toBe(plainMedia(part))
  })
})
