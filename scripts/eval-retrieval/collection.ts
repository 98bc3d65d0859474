import { readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export type Document = { id: string; title: string; text: string }

/** A test collection: documents, queries, and the documents that answer each query. */
export type Collection = {
  name: string
  documents: Document[]
  /** Only queries with relevant documents. */
  queries: { id: string; text: string; relevant: ReadonlyMap<string, number> }[]
}

/**
 * Reads `docs.jsonl` {id, title?, text}, `queries.jsonl` {id, text} and `qrels.jsonl` {query, doc, rel} of a folder.
 *
 * @param most the number of documents to read, with the queries that they answer
 * @throws Error with the file and line that is missing or invalid
 */
export function readCollection(folder: string, most: number = Number.POSITIVE_INFINITY): Collection {
  const documents = readLines(join(folder, 'docs.jsonl'), (line) => ({
    id: idOf(line, 'id'),
    title: line.title === undefined ? '' : textOf(line, 'title'),
    text: textOf(line, 'text'),
  })).slice(0, most)
  const queries = readLines(join(folder, 'queries.jsonl'), (line) => ({
    id: idOf(line, 'id'),
    text: textOf(line, 'text'),
  }))
  const judgments = readLines(join(folder, 'qrels.jsonl'), (line) => ({
    query: idOf(line, 'query'),
    doc: idOf(line, 'doc'),
    rel: numberOf(line, 'rel'),
  }))

  const known = new Set(documents.map(({ id }) => id))
  const relevant = new Map<string, Map<string, number>>()
  for (const { query, doc, rel } of judgments) {
    if (rel <= 0 || !known.has(doc)) continue
    relevant.set(query, (relevant.get(query) ?? new Map<string, number>()).set(doc, rel))
  }
  const judged = queries.flatMap(({ id, text }) => {
    const found = relevant.get(id)
    return found && text.trim() !== '' ? [{ id, text, relevant: found }] : []
  })
  if (judged.length === 0) throw new Error(`${folder}: no document is relevant to any query. See qrels.jsonl.`)
  return { name: basename(resolve(folder)), documents, queries: judged }
}

type Line = { [field: string]: unknown }

function readLines<Entry>(file: string, toEntry: (line: Line) => Entry): Entry[] {
  return readText(file)
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      try {
        return [toEntry(parseLine(line))]
      } catch (error) {
        throw new Error(`${file}, line ${index + 1}: ${error instanceof Error ? error.message : error}`)
      }
    })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`A collection is a folder with docs.jsonl, queries.jsonl and qrels.jsonl. Cannot read ${file}.`, {
      cause: error,
    })
  }
}

function parseLine(line: string): Line {
  const value: unknown = JSON.parse(line)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('is not a JSON object.')
  return value as Line // An object, as checked above.
}

function idOf(line: Line, field: string): string {
  const value = line[field]
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '')
    throw new Error(`needs an id in "${field}".`)
  return String(value)
}

function textOf(line: Line, field: string): string {
  const value = line[field]
  if (typeof value !== 'string') throw new Error(`needs a text in "${field}".`)
  return value
}

function numberOf(line: Line, field: string): number {
  const value = line[field]
  if (typeof value !== 'number') throw new Error(`needs a number in "${field}".`)
  return value
}
