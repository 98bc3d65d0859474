import type { NewChunk } from '../data/chunk.ts'
import { lanceSpace } from '../store/lance/lance-space.ts'
import type { Change } from '../store/store.ts'
import { indexRound } from './index-round.ts'
import { inSlices, never } from './make-file.ts'

// Writes rounds into the index of a folder, from the first to before the last, and prints each when it is done:
// `write-lance.ts <folder> <first> <last> [sliced]`; sliced, all files are large ones.
const [folder = '', first = '0', last = 'Infinity', isSliced] = process.argv.slice(2)
const store = await lanceSpace(folder).open('crash', { dimensions: 4 })
for (let round = Number(first); round < Number(last); round++) {
  await store.apply(isSliced === undefined ? indexRound(round) : slicedRound(round), never)
  if (round % 5 === 4) await store.maintain(never)
  process.stdout.write(`${round}\n`)
}
await store.close()

function slicedRound(round: number): Change {
  const { changed, removed } = indexRound(round)
  // `indexRound` gives lists.
  return { removed, changed: changed.map(({ record, chunks }) => ({ record, chunks: inSlices(chunks as NewChunk[]) })) }
}
