import { expect, it } from 'vitest'
import { type Citation, distinctPassages } from './citation.ts'

const cite = (file: string, chunkId: string): Citation => ({
  ...{ file, chunkId, start: 0, end: 1, quote: 'q', score: { fused: 1 } },
})

it('are those of another file or chunk, each once, in order', () => {
  const [one, two, three] = [cite('a.md', '1'), cite('a.md', '2'), cite('b.md', '1')]
  expect(distinctPassages([two, one, cite('a.md', '2'), three])).toEqual([two, one, three])
  expect(distinctPassages([two, one, three], [cite('a.md', '1')])).toEqual([two, three])
})

it('are found in linear time: a snapshot of a run looks for them at each step', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => cite('a.md', String(index)))
  const startedAt = performance.now()
  expect(distinctPassages([...many, ...many])).toHaveLength(20_000)
  expect(performance.now() - startedAt).toBeLessThan(1_500)
})
