import type { DatabaseSync } from 'node:sqlite'
import { findTerm } from '../../bm25/segment.ts'
import { eachWord } from '../../bm25/words.ts'
import { searchedText } from '../../data/chunk.ts'
import type { IndexView, SQLiteReader } from './sqlite-reader.ts'
import { toChunk } from './sqlite-rows.ts'

/** The number of chunks whose words are looked up in the text index. */
const triedChunks = 200

/** Without those that a change has left. */
const chunks = `(SELECT * FROM chunks WHERE NOT EXISTS
  (SELECT 1 FROM graves WHERE doc >= first AND doc < first + docs)) AS living`

/** Problems of an index, a sentence each. */
export async function verifyIndex(reader: SQLiteReader, dimensions: number | undefined): Promise<string[]> {
  const broken = await reader.read(integrity)
  // In a damaged database the other checks are meaningless.
  if (broken.length > 0) return broken
  return reader.search((view, database) => [
    ...rowProblems(database),
    ...vectorProblems(database, dimensions),
    ...textIndexProblems(view, database),
  ])
}

function integrity(database: DatabaseSync): string[] {
  const rows = database.prepare('PRAGMA integrity_check(5)').all()
  return rows.map((row) => String(row.integrity_check)).filter((problem) => problem !== 'ok')
}

function rowProblems(database: DatabaseSync): string[] {
  const files = database
    .prepare(
      `SELECT files.file AS file, files.chunks AS recorded, count(doc) AS found,
         total(place <> doc - first_doc OR doc >= first_doc + docs) AS displaced
       FROM files LEFT JOIN ${chunks} ON living.file = files.number GROUP BY files.number
       HAVING recorded <> found OR docs <> found OR displaced > 0`,
    )
    .all()
  const lost = count(database, `${chunks} WHERE file NOT IN (SELECT number FROM files)`)
  const unknown = count(
    database,
    `${chunks} WHERE NOT EXISTS (SELECT 1 FROM docs_by_id WHERE key = living.id AND docs_by_id.doc = living.doc)`,
  )
  const gone = count(database, `docs_by_id WHERE doc NOT IN (SELECT doc FROM ${chunks})`)
  const twice = count(database, '(SELECT key FROM docs_by_id GROUP BY key HAVING count(*) > 1)')
  return [
    ...files.map(({ file, recorded, found }) =>
      recorded === found
        ? `The chunks of ${file} are not numbered from 0 on.`
        : `${file} should have ${recorded} chunks, and has ${found}.`,
    ),
    ...(lost > 0 ? [`${lost} chunks belong to no file.`] : []),
    ...(unknown > 0 ? [`${unknown} chunks are not found by their ids.`] : []),
    ...(gone > 0 ? [`${gone} ids belong to no chunk.`] : []),
    ...(twice > 0 ? [`${twice} ids belong to several chunks.`] : []),
  ]
}

function vectorProblems(database: DatabaseSync, dimensions = 0): string[] {
  const lost = count(database, 'vectors WHERE doc NOT IN (SELECT doc FROM chunks)')
  const odd = count(database, `vectors WHERE length(vector) <> ${dimensions * 4}`)
  const unknown = count(
    database,
    `vectors WHERE doc NOT IN (SELECT doc FROM docs_by_text) AND doc IN (SELECT doc FROM ${chunks})`,
  )
  return [
    ...(lost > 0 ? [`${lost} vectors belong to no chunk.`] : []),
    ...(odd > 0 ? [`${odd} vectors do not have ${dimensions} numbers.`] : []),
    ...(unknown > 0 ? [`${unknown} vectors are not found by their texts.`] : []),
  ]
}

/** The text index contains exactly the chunks, with their words. */
function textIndexProblems(view: IndexView, database: DatabaseSync): string[] {
  const fileOf = new Map<number, number>()
  let twice = 0
  for (const { segment, isDead } of view.segments) {
    for (const [number, doc] of segment.docs.entries()) {
      if (isDead?.[number] === 1) continue
      if (fileOf.has(doc)) twice++
      fileOf.set(doc, segment.files[number] ?? 0)
    }
  }
  let missing = 0
  for (const { doc, file } of database.prepare(`SELECT doc, file FROM ${chunks}`).iterate()) {
    if (fileOf.get(doc as number) === file) fileOf.delete(doc as number)
    else missing++
  }
  const { tried, unfindable } = tryWords(view, database)
  return [
    ...(twice > 0 ? [`${twice} chunks are in the text index twice.`] : []),
    ...(missing > 0 ? [`${missing} chunks are not in the text index.`] : []),
    ...(fileOf.size > 0 ? [`The text index has ${fileOf.size} chunks that are gone.`] : []),
    ...(unfindable > 0 ? [`${unfindable} of ${tried} chunks are not found by their own words.`] : []),
  ]
}

/** The number of sampled chunks with words that the text index lacks. */
function tryWords({ segments }: IndexView, database: DatabaseSync): { tried: number; unfindable: number } {
  const rows = database.prepare(`SELECT *, '' AS path FROM ${chunks} ORDER BY id LIMIT ${triedChunks}`).all()
  const isUnfindable = (row: Record<string, unknown>): boolean => {
    const doc = row.doc as number
    const home = segments.find(({ segment }) => (segment.docs.at(-1) ?? 0) >= doc)?.segment
    const number = home?.docs.indexOf(doc) ?? -1
    if (!home || number < 0) return true
    let isKnown = true
    eachWord(searchedText(toChunk(row)), ({ terms }) => {
      for (const term of terms) {
        const place = findTerm(home, term)
        const found = home.postings.subarray(home.postingStarts[place], home.postingStarts[place + 1])
        if (place < 0 || !found.includes(number)) isKnown = false
      }
    })
    return !isKnown
  }
  return { tried: rows.length, unfindable: rows.filter(isUnfindable).length }
}

function count(database: DatabaseSync, rows: string): number {
  return database.prepare(`SELECT count(*) AS count FROM ${rows}`).get()?.count as number
}
