import { type SpanEnd, type SpanStart, setTracer, type Tracer } from '@agentkit/core/internal'
import { expect, it } from 'vitest'
import type { Hit } from './data/cite.ts'
import { tracedSearch } from './traced-search.ts'

const hit: Hit = { file: 'a.md', start: 0, end: 4, quote: 'Bees', chunkId: 'c1', score: { fused: 0.5 }, text: 'Bees' }
const about = { source: 'docs', query: 'bees', limit: 3 }

it('searches within a span, which has the passages or the error, but no text', async () => {
  const spans: [SpanStart, SpanEnd | undefined][] = []
  const tracer: Pick<Tracer, 'start'> = {
    start: (span) => ({
      id: '',
      within: (work) => work(),
      link() {},
      end: (end) => void spans.push([span, end]),
    }),
  }
  const remove = setTracer(tracer as Tracer) // neither headers nor traces of requests are used
  const failure = new Error('closed')
  try {
    expect(await tracedSearch(about, async () => [hit])).toEqual([hit])
    await expect(tracedSearch(about, () => Promise.reject(failure))).rejects.toBe(failure)
  } finally {
    remove()
  }
  expect(spans).toEqual([
    [{ type: 'retrieval', ...about }, { output: [{ id: 'c1', score: 0.5 }] }],
    [{ type: 'retrieval', ...about }, { error: failure }],
  ])
  expect(await tracedSearch(about, async () => [hit])).toEqual([hit])
  expect(spans).toHaveLength(2)
})
