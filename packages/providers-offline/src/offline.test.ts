import { describe, expect, it } from 'vitest'
import { offline } from './offline.ts'

const signal = new AbortController().signal

describe('offline', () => {
  it('names its model and embedder', () => {
    expect([offline().id, offline().model().id, offline().embedder().id]).toEqual([
      'offline',
      'offline/extractive',
      'offline/hashed',
    ])
  })

  it('refuses other names, with the one that there is', () => {
    expect(() => offline().model('gpt')).toThrow(/Use "offline\/extractive"/)
    expect(() => offline().embedder('ada')).toThrow(/Use "offline\/hashed"/)
  })

  it('refuses unknown options, with those that there are', () => {
    const misspelt = { nwo: () => new Date(0) } as object // What JavaScript passes.
    const message = 'Unknown option `nwo`. Did you mean `now`? Known: now.'
    expect(() => offline(misspelt)).toThrow(expect.objectContaining({ code: 'invalid-config', message }))
  })

  it('embeds the same words as the same vector of length 1', async () => {
    const [a, b] = await offline().embedder().embed(['Red apples', 'the red apple'], signal)
    expect(a).toEqual(b)
    expect(a).toHaveLength(256)
    expect(Math.hypot(...(a ?? []))).toBeCloseTo(1)
  })

  it('embeds a text without words as zeros', async () => {
    const [vector] = await offline().embedder().embed(['…'], signal)
    expect(vector?.every((value) => value === 0)).toBe(true)
  })

  it.each(['a', [5]])('embeds a list of texts, not %j', async (texts) => {
    const embedder = offline().embedder()
    const error = { code: 'invalid-argument', message: expect.stringContaining('a list of texts') }
    // What JavaScript passes.
    await expect(embedder.embed(texts as never, signal)).rejects.toMatchObject(error)
  })

  it('embeds nothing for an aborted signal', async () => {
    const error = { code: 'aborted', provider: 'offline', model: 'hashed' }
    await expect(offline().embedder().embed(['a'], AbortSignal.abort())).rejects.toMatchObject(error)
  })
})
