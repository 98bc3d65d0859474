import type { Query, VectorQuery } from '@lancedb/lancedb'
import type { Filter } from '../../data/search-filter.ts'
import { foldText, wholeNumbers, withNameParts, withParts } from '../fold-text.ts'
import type { Found, TextSearch } from '../store.ts'
import { similarWords, wordsOf } from './lance-fuzzy.ts'
import { chunkColumns, chunkOf } from './lance-rows.ts'
import { filterSql } from './lance-sql.ts'
import { stopWords } from './lance-stop-words.ts'
import { all, areChunks, type LanceTable, readRows } from './lance-table.ts'

/** How many partitions of an index of vectors are searched, and how many vectors are then compared exactly. */
const probes = { atLeast: 50, atMost: 10_000, compared: 100, perResult: 3 }

export async function searchText(
  at: LanceTable,
  query: string,
  { limit, filter, fuzzy = false, withChunks = false }: TextSearch,
): Promise<Found[]> {
  const folded = foldText(query)
  // A number twice, so that it outweighs its parts in other numbers.
  const asked = [withParts(folded), ...wholeNumbers(folded)].join('\n')
  const exact = await match(at, asked, limit, filter, withChunks)
  if (!fuzzy || exact.length >= limit) return exact
  const similar = await similarWords(at, withNameParts(folded), filter)
  const close = similar.length === 0 ? [] : await match(at, similar.join(' '), limit, filter)
  const found = behind(exact, close).slice(0, limit)
  if (found.length > 0) return found
  const said = await saying(at, folded, limit, filter)
  return said.length > 0 ? said : within(at, folded, limit, filter)
}

export function searchVector(
  at: LanceTable,
  vector: Float32Array,
  { limit, filter }: { limit: number; filter: Filter },
): Promise<Found[]> {
  return nearest(at, vector, limit, filter, (query) =>
    query
      // More than the least only where a filter leaves too few.
      .maximumNprobes(probes.atMost)
      .minimumNprobes(probes.atLeast)
      .refineFactor(Math.max(probes.perResult, Math.ceil(probes.compared / limit))),
  )
}

/** Compares with each vector, though there is an index. */
export function searchEachVector(at: LanceTable, vector: Float32Array, limit: number): Promise<Found[]> {
  return nearest(at, vector, limit, {}, (query) => query.bypassVectorIndex())
}

async function nearest(
  { table, dimensions, places }: LanceTable,
  vector: Float32Array,
  limit: number,
  filter: Filter,
  tune: (query: VectorQuery) => VectorQuery,
): Promise<Found[]> {
  if (dimensions === undefined) return []
  const query = tune(table.vectorSearch(vector).column('vector').distanceType('cosine'))
  const nearest = query.select(['id', 'n', '_distance']).withRowId().limit(limit)
  const rows = await readVisible(nearest, filter)
  for (const row of rows) places.remember(row)
  return rows.map((row) => ({ id: String(row.id), score: 1 - Number(row._distance) }))
}

/**
 * The rows of a search that are chunks. Only while a large file is replaced others are found too; to exclude them always
 * would make each search slower.
 */
async function readVisible(query: Query | VectorQuery, filter: Filter): Promise<Record<string, unknown>[]> {
  const condition = filterSql(filter)
  const rows = await readRows(condition === undefined ? query : query.where(condition))
  if (rows.every(({ n }) => Number(n) >= 0)) return rows
  return readRows(query.where(all(condition, areChunks)))
}

/** Searches by BM25. LanceDB warns if `_score` is not among the columns. */
async function match(
  at: LanceTable,
  words: string,
  limit: number,
  filter: Filter,
  withChunks = false,
): Promise<Found[]> {
  const { MatchQuery } = at.lance.lancedb
  const said = at.table.query().fullTextSearch(new MatchQuery(words, 'text'))
  // One query that reads the chunks takes two thirds of the time of a search and a query by place.
  const columns = withChunks ? chunkColumns : ['id', 'n']
  const matching = said
    .select([...columns, '_score'])
    .withRowId()
    .limit(limit)
  const rows = await readVisible(matching, filter)
  for (const row of rows) at.places.remember(row)
  return rows
    .map(({ _score, _rowid: _place, ...row }) => {
      return { id: String(row.id), score: Number(_score), ...(withChunks && { chunk: chunkOf(row) }) }
    })
    .sort((one, other) => other.score - one.score)
}

/** The others after the first, whatever they scored: a rare misspelling would outweigh the word that was asked for. */
function behind(first: Found[], others: Found[]): Found[] {
  const known = new Set(first.map(({ id }) => id))
  const rest = others.filter(({ id }) => !known.has(id))
  const ceiling = first.at(-1)?.score ?? Number.POSITIVE_INFINITY
  const highest = rest[0]?.score ?? 0
  const factor = highest > ceiling ? (0.9 * ceiling) / highest : 1
  return [...first, ...rest.map(({ id, score }) => ({ id, score: score * factor }))]
}

/** Longer ones are no phrase. */
const phraseWords = 20

/**
 * Finds texts that contain the query's words as a phrase. The index leaves out words such as `who` and `it`, but people
 * search for the WHO and IT.
 */
async function saying({ table }: LanceTable, query: string, limit: number, filter: Filter): Promise<Found[]> {
  const words = wordsOf(query)
  const [first = ''] = words
  const isOneWord = words.length === 1 && stopWords.includes(first.toLowerCase())
  if (!isOneWord && (words.length < 2 || words.length > phraseWords)) return []
  const condition = all(areChunks, filterSql(filter), `regexp_like(text, '(?i)\\b${words.join('\\W+')}\\b')`)
  const rows = await readRows(table.query().where(condition).select(['id']).limit(limit))
  return rows.map(({ id }) => ({ id: String(id), score: 1 }))
}

/** Scripts without spaces, each sign of which carries as much as several letters. */
const dense = /[\p{Script=Katakana}ー]{2,40}|\p{Script=Han}{2,40}/gu

/**
 * Finds texts with most of the query's words inside longer words, in scripts whose compounds are one word of the index:
 * サイト in ウェブサイト.
 */
async function within({ table }: LanceTable, query: string, limit: number, filter: Filter): Promise<Found[]> {
  const words = [...new Set(query.match(dense))].slice(0, phraseWords)
  if (words.length === 0) return []
  const condition = all(areChunks, filterSql(filter), `regexp_like(text, '${words.join('|')}')`)
  const rows = await readRows(table.query().where(condition).select(['id', 'text']).limit(limit))
  return rows
    .map(({ id, text }) => ({ id: String(id), score: words.filter((word) => String(text).includes(word)).length }))
    .sort((one, other) => other.score - one.score)
}
