import type { ToolSpec } from '@agentkit/core'
import { firstChars } from '@agentkit/core/internal'
import type { PlannedCall } from './choose-tool.ts'
import type { Conversation, ToolResult } from './conversation.ts'
import { describeResult } from './describe-results.ts'
import { type Passage, quotePassages, statementsOf } from './quote-passages.ts'
import { contentStems, contentWords, relatedStems, relatedWords, stemsOf } from './words.ts'

const [searchFiles, readFile, listFiles] = ['search_files', 'read_file', 'list_files'] as const
/** Files of which an overview quotes; the others are counted. */
const mostRead = 8
const longestSentence = 300

export function isFileTool({ name }: { name: string }): boolean {
  return name === searchFiles || name === readFile || name === listFiles
}

/** Whether these are the tools of an agent's files: a `search_files` of the user's own may need something else. */
export function hasFiles(tools: readonly ToolSpec[]): boolean {
  const search = tools.find(({ name }) => name === searchFiles)?.inputSchema
  return JSON.stringify(search?.required) === '["query"]' && tools.filter(isFileTool).length === 3
}

/** Words that say what is to be done with files, not what is looked for. */
const commands = new Set(
  stemsOf(
    'search find look file files document documents doc docs folder say mention summarize summarise summary overview ' +
      'outline explain describe answer question read list display contain content everything all topic help happen',
  ),
)
const fileName = /[\p{L}\p{N}_][\p{L}\p{N}_./-]{0,200}\.(?:mdx?|txt|csv|docx?|pdf)\b/giu

/** The calls that look a question up in the files, in their order; those after a list of the files need its result. */
export function planLookup({ question, earlier, results }: Conversation): PlannedCall[] {
  const files = [...new Set(question.match(fileName) ?? [])]
  const wording = question.replace(fileName, ' ')
  const readAll = (names: readonly string[]): PlannedCall[] =>
    names.map((file) => ({ name: readFile, input: { file } }))
  const list: PlannedCall = { name: listFiles, input: {} }
  const listed = listedFiles(results.find(({ name }) => name === listFiles)?.text ?? '').filter((one) => one.isReadable)
  const isSummary = /\b(?:summar|overview|outline)/i.test(wording)
  const asked = contentStems(wording).filter((word) => !commands.has(word))
  if (asked.length === 0) {
    if (files.length > 0) return readAll(files)
    const isOverview = isSummary || /\b(?:in|about|says?|contain|know)\b/i.test(wording)
    if (isOverview) return [list, ...readAll(listed.slice(0, mostRead).map(({ file }) => file))]
    if (/\b(?:files|documents|docs)\b/i.test(wording)) return [list]
  }
  const words = searchedWords(wording, earlier[0])
  if (words.length === 0) return []
  const query = words.join(' ')
  const search: PlannedCall = { name: searchFiles, input: files.length > 0 ? { query, files } : { query } }
  const isWhole = files.length === 0 && (isSummary || /\bsay\W{0,5}$/i.test(wording))
  if (!isWhole) return [search]
  if (results.length === 0) return [list]
  // "the handbook" is the file with that word in its name or title.
  const meant = listed.find(({ file, title }) => asked.every((word) => stemsOf(`${file} ${title}`).includes(word)))
  return [list, ...(meant ? readAll([meant.file]) : [search])]
}

/**
 * The words to search for: also the words of the message before if this one continues it, and related words if there
 * are few.
 */
function searchedWords(text: string, before: string | undefined): string[] {
  const meaningfulWords = (one: string): string[] => {
    const words = contentWords(one)
    const some = words.filter(({ stem }) => !commands.has(stem))
    return (some.length > 0 ? some : words).slice(0, 40).map((word) => word.text)
  }
  const own = meaningfulWords(text)
  const isContinued = /^\s*(?:and|or|also|what about|how about)\b/i.test(text)
  const words = [...own, ...(before !== undefined && isContinued ? meaningfulWords(before) : [])]
  return [...new Set([...words, ...(words.length <= 3 ? words.flatMap(relatedWords) : [])])]
}

/** The results of the file tools as an answer: quotes with their places, or a line for each file. */
export function describeLookup(results: readonly ToolResult[], question: string): string {
  const failed = results.filter(({ isError }) => isError).map((result) => describeResult(result, question))
  const done = results.filter(({ isError }) => !isError)
  const found = done.filter(({ name }) => name === searchFiles).map((result) => describeSearch(result, question))
  const reads = done.filter(({ name }) => name === readFile)
  const list = done.find(({ name }) => name === listFiles)?.text
  if (list !== undefined && reads.length + found.length + failed.length === 0) return list
  const listed = listedFiles(list ?? '')
  const lines = reads.map((result) => describeRead(result, reads.length, listed))
  if (lines.length < 2) return [...new Set(failed), ...found, ...lines].join('\n')
  const unreadable = listed.filter(({ isReadable }) => !isReadable).map(({ line }) => line)
  const left = listed.length - unreadable.length - reads.length
  const more = left > 0 ? [`There ${left === 1 ? 'is 1 more file' : `are ${left} more files`}.`] : []
  return [...new Set(failed), ...[...lines, ...unreadable].map((line) => `- ${line}`), ...more].join('\n')
}

function describeSearch(result: ToolResult, question: string): string {
  const query = String(result.input.query)
  const words = contentWords(query)
  // Related words were added to the words of the question, so they are removed.
  const own = words.filter(({ stem }, at) => !words.slice(0, at).some((one) => relatedStems(one.stem).includes(stem)))
  const nothing = `I found nothing in the files about "${own.map(({ text }) => text).join(' ')}".`
  return quotePassages(question, query, foundPassages(result.text)) ?? nothing
}

/** The passages of what `search_files` gave: `[1] handbook.pdf, page 3, "Holidays"` above each text. */
function foundPassages(text: string): Passage[] {
  const passages: Passage[] = []
  const [found = ''] = text.split(/\n\n\d+ more passages match\./)
  for (const block of found.split(/\n\n(?=\[\d+\] )/)) {
    const end = block.indexOf('\n')
    const head = `[${passages.length + 1}] `
    const last = passages.at(-1)
    // A text may have footnotes of its own, whose numbers are not the next one.
    const isNext = block.startsWith(head) && end > 0
    if (isNext) passages.push({ place: block.slice(head.length, end), text: block.slice(end + 1) })
    else if (last) last.text += `\n\n${block}`
  }
  return passages
}

type ListedFile = { file: string; title: string; isReadable: boolean; line: string }

/** The files of what `list_files` gave: `handbook.pdf: "Employee handbook", 3 pages, 1,234 characters`. */
function listedFiles(text: string): ListedFile[] {
  return text.split('\n').flatMap((line): ListedFile[] => {
    const colon = line.indexOf(': ')
    const [file, facts] = [line.slice(0, colon), line.slice(colon + 2)]
    if (colon < 0 || !file.slice(-6).includes('.')) return []
    const title = facts.startsWith('"') ? facts.slice(1, facts.indexOf('"', 1)) : ''
    return [{ file, title, isReadable: !facts.startsWith('cannot be read'), line }]
  })
}

const place = /^\[(?:page|row)s? [^\]\n]{1,40}\]\n/
const outline = /^(?:Its headings:|It has \d+ parts? and no headings|Go on with part )/

/** The first full sentences of a file that was read: three where it is the only one, else one. */
function describeRead({ input, text }: ToolResult, count: number, listed: readonly ListedFile[]): string {
  const file = String(input.file)
  const [head = '', ...paragraphs] = text.split('\n\n')
  // There is no such file, or it cannot be read.
  if (!head.startsWith(file) || paragraphs.length === 0) return text.split(' See list_files')[0] ?? text
  const title = listed.find((one) => one.file === file)?.title
  const own = paragraphs
    .filter((paragraph) => !outline.test(paragraph))
    .map((paragraph) => paragraph.replace(place, ''))
  const all = statementsOf(own.join('\n\n')).map((one) => one.text)
  const full = all.filter((sentence) => sentence.endsWith('.') && contentWords(sentence).length >= 3)
  const quotes = (full.length > 0 ? full : all)
    .slice(0, count === 1 ? 3 : 1)
    .map(
      (sentence) => `"${sentence.length > longestSentence ? `${firstChars(sentence, longestSentence)}…` : sentence}"`,
    )
  return `${file}${title ? `, "${title}"` : ''}: ${quotes.join(' ') || 'it has no sentence to quote.'}`
}
