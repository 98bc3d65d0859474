import { sqliteSpace } from '../store/sqlite/sqlite-space.ts'
import { indexRound } from './index-round.ts'
import { never } from './make-file.ts'

// Writes one round after the other into the index of a folder, and prints each when it is done.
const [folder = '', first = '0'] = process.argv.slice(2)
const store = await sqliteSpace(folder).open('crash', { dimensions: 4 })
process.stdout.write('ready\n')
for (let round = Number(first); ; round++) {
  await store.apply(indexRound(round), never)
  if (round % 5 === 4) await store.maintain(never)
  process.stdout.write(`${round}\n`)
}
