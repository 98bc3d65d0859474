import type { DatabaseSync } from 'node:sqlite'
import type { TimeSlices } from '../../util/time-slices.ts'
import { transaction } from './sqlite-database.ts'

/** The number of rows that are deleted between two checks of the clock. */
const handful = 64

/** Deletes the rows that changes have left, in many small transactions. It may be interrupted at any time. */
export async function sweep(path: string, database: DatabaseSync, slices: TimeSlices): Promise<void> {
  const nextGrave = database.prepare('SELECT first, docs FROM graves LIMIT 1')
  const deleteChunks = database.prepare('DELETE FROM chunks WHERE doc >= ? AND doc < ?')
  const deleteVectors = database.prepare('DELETE FROM vectors WHERE doc >= ? AND doc < ?')
  const fill = database.prepare('DELETE FROM graves WHERE first = ?')
  const shrink = database.prepare('UPDATE graves SET first = first + :count, docs = docs - :count WHERE first = :first')

  while (nextGrave.get()) {
    await transaction(database, path, async () => {
      do {
        // The columns of our own table.
        const grave = nextGrave.get() as { first: number; docs: number } | undefined
        if (!grave) return
        const count = Math.min(handful, grave.docs)
        deleteChunks.run(grave.first, grave.first + count)
        deleteVectors.run(grave.first, grave.first + count)
        if (count === grave.docs) fill.run(grave.first)
        else shrink.run({ count, first: grave.first })
      } while (!slices.isOver)
    })
    if (slices.isOver) await slices.next()
  }
}
