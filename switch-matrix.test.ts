import { beforeAll, describe, expect, it } from 'vitest'
import { knownProviders } from './scripts/providers-under-test.ts'
import { type Cell, fallBack, switchCells, switchPage } from './scripts/switch-matrix.ts'

const names = Object.keys(knownProviders)
const pairs = names.flatMap((from) => names.map((to) => ({ from, to })))

// At the root, as it uses all providers, which do not know each other.
describe('a conversation', () => {
  let cells: Cell[]
  beforeAll(async () => {
    cells = await switchCells()
  })

  it.each(pairs)('that begins with $from continues with $to', ({ from, to }) => {
    const own = cells.filter((cell) => cell.from === from && cell.to === to)
    expect(own.length).toBeGreaterThanOrEqual(6)
    expect(own.filter(({ error, missing }) => error || missing.length > 0)).toEqual([])
    // Nothing is lost within one provider.
    if (from === to)
      expect(own.flatMap(({ kind, leftOut }) => leftOut.map((what) => [kind, what]))).toEqual(ownLosses(from))
  })

  it('is documented as tested', async () => {
    await expect(switchPage(cells)).toMatchFileSnapshot('docs/guides/switching.md')
  })

  it.each(pairs)(
    'falls back from $from to $to in the middle of a run, and runs no tool twice',
    async ({ from, to }) => {
      expect(await fallBack(from, to)).toEqual({ text: 'It is sunny.', finishReason: 'stop', calls: 2 })
    },
  )
})

/** What a wire loses even with its own models: Chat Completions takes no reasoning. */
function ownLosses(name: string): string[][] {
  const wire = knownProviders[name]?.wire
  return wire === 'azure' || wire === 'openai-chat' ? [['reasoning', 'reasoning']] : []
}
