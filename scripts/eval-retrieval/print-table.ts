import type { Evaluation } from './evaluate.ts'

const columns: readonly [string, (row: Evaluation) => string][] = [
  ['collection', ({ collection }) => collection],
  ['tool', ({ tool }) => `\`${tool}\``],
  ['embedder', ({ embedder }) => embedder],
  ['nDCG@10', ({ ndcg }) => ndcg.toFixed(4)],
  ['MAP', ({ map }) => map.toFixed(4)],
  ['recall@10', ({ recall }) => recall.toFixed(4)],
  ['text recall in 8,000 characters', ({ chunkRecall }) => chunkRecall.toFixed(4)],
  ['index, s', ({ indexSeconds }) => indexSeconds.toFixed(1)],
  ['search, ms', ({ searchMs }) => searchMs.toFixed(1)],
]

/** Evaluations as a Markdown table. */
export function printTable(rows: readonly Evaluation[]): string {
  const lines = [
    columns.map(([name]) => name),
    columns.map((_, index) => (index < 3 ? '---' : '--:')),
    ...rows.map((row) => columns.map(([, print]) => print(row))),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
