import { centralStatements } from './central-statements.ts'
import { resultValue, type TurnResult } from './conversation.ts'
import { describeResult } from './describe-result.ts'
import { foundPassages, type ListedFile, listedFiles, readText } from './file-results.ts'
import { ownWords } from './file-wish.ts'
import { quotePassages } from './quote-passages.ts'

const mostListed = 20
const longestSentence = 300

/** What the files' tools have given, as an answer: quotations with their places, or a line for each file. */
export function describeLookup(results: readonly TurnResult[], question: string): string {
  const failed = results.filter(({ message }) => message.isError)
  const done = results.filter(({ message }) => !message.isError)
  const found = done.filter(({ call }) => call.name === 'search_files').map((one) => describeSearch(one, question))
  const list = done.find(({ call }) => call.name === 'list_files')
  const asked = results.filter(({ call }) => call.name === 'read_file')
  const reads = done.filter(({ call }) => call.name === 'read_file')
  const listed = list && listedFiles(textOf(list))
  const overview = reads.length > 0 ? describeReads(reads, listed?.files ?? []) : ''
  const others =
    listed && list && found.length === 0 && isOverviewOf(asked, listed.files)
      ? restOfList(listed, asked, textOf(list))
      : ''
  const failures = new Set(failed.map((one) => describeResult(one, question)))
  return [...failures, ...found, overview, others].filter((part) => part !== '').join('\n')
}

function textOf({ message }: TurnResult): string {
  const value = resultValue(message)
  return typeof value === 'string' ? value : ''
}

function describeSearch(result: TurnResult, question: string): string {
  const text = textOf(result)
  const passages = foundPassages(text)
  // Somebody else's tool of the same shape.
  if (!passages) return describeResult(result, question)
  if (text.startsWith('There are no files')) return 'There are no files to search in yet.'
  const query = String(result.call.input.query)
  return quotePassages(question, query, passages) ?? nothingFound(query)
}

function nothingFound(query: string): string {
  return `I found nothing in the files about "${ownWords(query)}".`
}

/** Whether a search of this turn has found nothing that could be quoted. */
export function foundNothing(answer: string): boolean {
  return answer.startsWith('I found nothing in the files about ') || answer.startsWith('There are no files ')
}

/** Of one file some sentences, of several a line each with the one that stands for it. */
function describeReads(reads: readonly TurnResult[], listed: readonly ListedFile[]): string {
  const lines = reads.map((result) => {
    const file = String(result.call.input.file)
    const title = listed.find((one) => one.file === file)?.title
    const name = title === undefined ? file : `${file}, "${title}"`
    const read = readText(file, textOf(result))
    if (!read) return textOf(result).replace(/ See list_files.*$/, '')
    const sentences = centralStatements(read.text, reads.length === 1 ? 3 : 1).map(
      (sentence) => `"${sentence.length > longestSentence ? `${sentence.slice(0, longestSentence)}…` : sentence}"`,
    )
    const part = reads.length === 1 && read.parts > 1 ? ` (from the first of its ${read.parts} parts)` : ''
    return `${name}: ${sentences.length > 0 ? sentences.join(' ') : 'it has no sentence to quote.'}${part}`
  })
  return lines.length === 1 ? (lines[0] ?? '') : lines.map((line) => `- ${line}`).join('\n')
}

/** Whether all files were asked about, or some by their names. */
function isOverviewOf(reads: readonly TurnResult[], listed: readonly ListedFile[]): boolean {
  const readable = listed.filter((one) => one.isReadable)
  return reads.length === 0 || reads.every(({ call }, index) => call.input.file === readable[index]?.file)
}

/** What the list holds beside the files that were read: those that cannot be, and how many more there are. */
function restOfList(
  { files, more }: ReturnType<typeof listedFiles>,
  reads: readonly TurnResult[],
  text: string,
): string {
  if (files.length === 0) return text
  if (reads.length === 0) {
    const lines = files.slice(0, mostListed).map(({ line }) => `- ${line}`)
    const left = files.length - lines.length + more
    return [...lines, ...(left > 0 ? [`and ${left} more files.`] : [])].join('\n')
  }
  const unreadable = files.filter(({ isReadable }) => !isReadable)
  const left = files.length - unreadable.length - reads.length + more
  return [
    ...unreadable.slice(0, 5).map(({ line }) => `- ${line}`),
    ...(left > 0 ? [`There ${left === 1 ? 'is 1 more file' : `are ${left} more files`}.`] : []),
  ].join('\n')
}
