import { type Conversation, resultValue } from './conversation.ts'
import { type ListedFile, listedFiles } from './file-results.ts'
import type { FileTools } from './file-tools.ts'
import { type FileWish, ownWords, readFileWish } from './file-wish.ts'
import type { PlannedCall } from './plan-calls.ts'
import { areRelated } from './related-words.ts'
import { contentStems } from './tokens.ts'

/** Files of which an overview tells; of more it tells how many there are. */
const mostRead = 8

/**
 * The calls that look a message up in the files, those that were made included: the same ones whenever it is asked
 * again, and those that need a list of the files once there is one.
 */
export function planLookup(conversation: Conversation, tools: FileTools): PlannedCall[] {
  const wish = readFileWish(conversation.question, conversation.earlier[0])
  if (!wish) return []
  if (wish.kind === 'search') return [searchFor(wish.query, named(wish.files, tools))]
  const { list, read } = tools
  if (wish.kind === 'list') return list ? [{ name: list.name, input: {} }] : []
  return read ? planReading(wish, conversation, { ...tools, read }) : searchInstead(wish)
}

type Reading = Extract<FileWish, { kind: 'read' }>

function planReading(
  wish: Reading,
  conversation: Conversation,
  { read, list, search }: FileTools & { read: NonNullable<FileTools['read']> },
): PlannedCall[] {
  const reads = (files: readonly string[]): PlannedCall[] =>
    files.slice(0, mostRead).map((file) => ({ name: read.name, input: { file } }))
  const isKnown = wish.files.length > 0 && wish.files.every((file) => namesFile(search.description, file))
  if (isKnown || (!list && wish.files.length > 0)) return reads(wish.files)
  if (!list) return searchInstead(wish)
  const listing: PlannedCall = { name: list.name, input: {} }
  const result = conversation.results.find(({ call }) => call.name === list.name)
  const text = result && !result.message.isError ? resultValue(result.message) : undefined
  if (typeof text !== 'string') return [listing]
  const { files } = listedFiles(text)
  if (wish.files.length > 0) return [listing, ...reads(wish.files.map((said) => pathOf(said, files)))]
  if (wish.words === '') return [listing, ...reads(files.filter(isReadable).map(({ file }) => file))]
  const meant = files.filter((one) => isReadable(one) && isMeant(one, wish.words))
  return [listing, ...(meant.length > 0 ? reads(meant.map(({ file }) => file)) : searchInstead(wish))]
}

function isReadable(listed: ListedFile): boolean {
  return listed.isReadable
}

/** "Summarise the holiday policy" asks for a file, or else for what stands about it. */
function searchInstead({ words, files }: Reading): PlannedCall[] {
  const query = words === '' ? files.join(' ') : words
  return query === '' ? [] : [searchFor(query, [])]
}

function searchFor(query: string, files: readonly string[]): PlannedCall {
  return { name: 'search_files', input: { query, ...(files.length > 0 ? { files: [...files] } : {}) } }
}

/** Only files that are known are searched alone: a name that is not exact would find nothing. */
function named(files: readonly string[], { search }: FileTools): string[] {
  return files.filter((file) => namesFile(search.description, file))
}

function namesFile(description: string, file: string): boolean {
  return description.split(/(?:: |, )|(?= \(")|\.?$/).includes(file)
}

/** A file by its whole path or the end of it, in whatever case; what is unknown stays as it was said. */
function pathOf(said: string, files: readonly ListedFile[]): string {
  const wanted = said.toLowerCase()
  const found = files.find(({ file }) => `/${file.toLowerCase()}`.endsWith(`/${wanted}`))
  return found?.file ?? said
}

function isMeant({ file, title = '' }: ListedFile, words: string): boolean {
  const own = contentStems(`${file.replace(/\.\w+$/, '')} ${title}`)
  const said = contentStems(ownWords(words))
  return said.length > 0 && said.every((word) => own.some((other) => areRelated(word, other)))
}
