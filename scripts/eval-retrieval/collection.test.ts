import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readCollection } from './collection.ts'

let place: string
let folder: string
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'collection-'))
  folder = join(place, 'little')
  mkdirSync(folder)
  write('docs.jsonl', '{"id": 1, "title": "One", "text": "first"}\n{"id": "2", "text": "second"}\n')
  write('queries.jsonl', '{"id": "q", "text": "what?"}\n{"id": "r", "text": "who?"}\n')
  write('qrels.jsonl', '{"query": "q", "doc": "1", "rel": 2}\n{"query": "q", "doc": "2", "rel": 0}\n')
})
afterEach(() => rmSync(place, { recursive: true }))

const write = (file: string, content: string): void => writeFileSync(join(folder, file), content)

it('has the documents, and the queries with relevant documents', () => {
  expect(readCollection(folder)).toEqual({
    name: 'little',
    documents: [
      { id: '1', title: 'One', text: 'first' },
      { id: '2', title: '', text: 'second' },
    ],
    queries: [{ id: 'q', text: 'what?', relevant: new Map([['1', 2]]) }],
  })
})

it('can be limited to the first documents', () => {
  write('qrels.jsonl', '{"query": "q", "doc": "2", "rel": 1}\n{"query": "r", "doc": "1", "rel": 1}\n')
  const { documents, queries } = readCollection(folder, 1)
  expect([documents.map(({ id }) => id), queries.map(({ id }) => id)]).toEqual([['1'], ['r']])
})

it.each([
  ['docs.jsonl', '{"id": "1"}', 'docs.jsonl, line 1: needs a text in "text"'],
  ['docs.jsonl', '{"id": "1", "text": "a"}\n{"text": "a"}', 'docs.jsonl, line 2: needs an id in "id"'],
  ['docs.jsonl', '[]', 'docs.jsonl, line 1: is not a JSON object'],
  ['queries.jsonl', '{"id": "1", ', 'queries.jsonl, line 1: '],
  ['qrels.jsonl', '{"query": "q", "doc": "1", "rel": "2"}', 'qrels.jsonl, line 1: needs a number in "rel"'],
  ['qrels.jsonl', '{"query": "q", "doc": "9", "rel": 1}', 'no document is relevant to any query'],
])('refuses an invalid %s: %s', (file, content, message) => {
  write(file, content)
  expect(() => readCollection(folder)).toThrow(message)
})

it('must exist', () => {
  rmSync(join(folder, 'qrels.jsonl'))
  expect(() => readCollection(folder)).toThrow(`Cannot read ${join(folder, 'qrels.jsonl')}`)
  expect(() => readCollection(join(place, 'none'))).toThrow('a folder with docs.jsonl, queries.jsonl and qrels.jsonl')
})
