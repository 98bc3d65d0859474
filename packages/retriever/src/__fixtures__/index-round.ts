import type { Change } from '../store/store.ts'
import { makeFile } from './make-file.ts'

/** A change that puts the passages of a round in the place of the ones before, in every file. */
export function indexRound(round: number): Change {
  const changed = Array.from({ length: 12 }, (_, number) => {
    const passages = Array.from({ length: 20 }, (_, place) => `Passage ${place} of round${round}x in file ${number}`)
    return makeFile(`file${number}.md`, passages, { dimensions: 4 })
  })
  const odd = makeFile(`only${round}.md`, [`Only round${round}x has this file`], { dimensions: 4 })
  return { changed: [...changed, odd], removed: [`only${round - 1}.md`] }
}
