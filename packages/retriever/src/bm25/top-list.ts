/** Keeps the `limit` best entries. Of equal scores, the lower number is better. */
export interface TopList {
  offer(doc: number, score: number): void
  /** Returns the entries, the best first. Called once, at the end. */
  end(): { doc: number; score: number }[]
}

/** A binary heap with the worst of the kept entries at its root. */
export function topList(limit: number): TopList {
  const docs: number[] = []
  const scores: number[] = []

  const isWorse = (doc: number, score: number, place: number): boolean => {
    const there = scores[place] ?? 0
    return score < there || (score === there && doc > (docs[place] ?? 0))
  }
  const move = (from: number, to: number): void => {
    docs[to] = docs[from] ?? 0
    scores[to] = scores[from] ?? 0
  }
  const put = (doc: number, score: number, place: number): void => {
    docs[place] = doc
    scores[place] = score
  }
  const rise = (doc: number, score: number): void => {
    let place = docs.length
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isWorse(doc, score, parent)) break
      move(parent, place)
      place = parent
    }
    put(doc, score, place)
  }
  const sink = (doc: number, score: number): void => {
    const count = docs.length
    let place = 0
    for (;;) {
      let child = place * 2 + 1
      if (child >= count) break
      if (child + 1 < count && isWorse(docs[child + 1] ?? 0, scores[child + 1] ?? 0, child)) child++
      if (isWorse(doc, score, child)) break
      move(child, place)
      place = child
    }
    put(doc, score, place)
  }

  return {
    offer(doc, score) {
      if (docs.length < limit) rise(doc, score)
      else if (limit > 0 && !isWorse(doc, score, 0)) sink(doc, score)
    },
    end: () =>
      docs
        .map((doc, place) => ({ doc, score: scores[place] ?? 0 }))
        .sort((one, other) => other.score - one.score || one.doc - other.doc),
  }
}
