import { lanceSpace } from '../store/lance/lance-space.ts'
import { indexRound } from './index-round.ts'
import { never } from './make-file.ts'

// Writes rounds into the index of a folder, from the first to before the last, and prints each when it is done.
const [folder = '', first = '0', last = 'Infinity'] = process.argv.slice(2)
const store = await lanceSpace(folder).open('crash', { dimensions: 4 })
for (let round = Number(first); round < Number(last); round++) {
  await store.apply(indexRound(round), never)
  if (round % 5 === 4) await store.maintain(never)
  process.stdout.write(`${round}\n`)
}
await store.close()
