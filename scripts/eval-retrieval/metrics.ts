/** The relevant documents of a query with their grades, all above 0. */
export type Judgments = ReadonlyMap<string, number>

/**
 * nDCG of the first `depth` documents, with the grades themselves as gain (linear, as trec_eval counts) and log2
 * discount: 1 for the ideal order.
 */
export function ndcg(ranked: readonly string[], relevant: Judgments, depth = 10): number {
  const gained = dcg(
    ranked.map((document) => relevant.get(document) ?? 0),
    depth,
  )
  const ideal = dcg(
    [...relevant.values()].sort((one, other) => other - one),
    depth,
  )
  return ideal === 0 ? 0 : gained / ideal
}

/** Mean of the precisions at each relevant document; missing ones count as 0. Ignores grades. */
export function averagePrecision(ranked: readonly string[], relevant: Judgments): number {
  let found = 0
  let sum = 0
  for (const [index, document] of ranked.entries()) {
    if (!relevant.has(document)) continue
    found += 1
    sum += found / (index + 1)
  }
  return relevant.size === 0 ? 0 : sum / relevant.size
}

/** The fraction of relevant documents among the first `depth`. */
export function recall(ranked: readonly string[], relevant: Judgments, depth = 10): number {
  const found = ranked.slice(0, depth).filter((document) => relevant.has(document)).length
  return relevant.size === 0 ? 0 : found / relevant.size
}

/** A part of a file's text, in characters. */
export type Span = { file: string; start: number; end: number }

/**
 * The fraction of the relevant text in the first passages, as many as fit into a number of
 * characters. Passages do not overlap, nor do relevant parts.
 */
export function chunkRecall(read: readonly Span[], relevant: readonly Span[], characters = 8000): number {
  let left = characters
  let covered = 0
  for (const passage of read) {
    left -= passage.end - passage.start
    if (left < 0) break
    for (const part of relevant) {
      if (part.file !== passage.file) continue
      covered += Math.max(0, Math.min(part.end, passage.end) - Math.max(part.start, passage.start))
    }
  }
  const all = relevant.reduce((sum, { start, end }) => sum + end - start, 0)
  return all === 0 ? 0 : covered / all
}

/** 0 for no numbers. */
export function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function dcg(gains: readonly number[], depth: number): number {
  return gains.slice(0, depth).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
}
