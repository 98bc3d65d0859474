import { areSynonyms, synonymsOf } from './synonyms.ts'
import { contentStems, isStopWord, stemsOf, wordsOf } from './tokens.ts'

/** What a message wants of the files. */
export type FileWish =
  | { kind: 'search'; query: string; files: string[] }
  /** What stands in files: in all, in those whose names are said, or in the one that these words mean. */
  | { kind: 'read'; files: string[]; words: string }
  | { kind: 'list' }

/** Words that say what is to be done, not what is looked for. */
const commands = new Set(
  stemsOf(
    'search find look file document doc folder say mention summarize summarise summary explain describe answer question according please read open show display check information know help wonder wondering looking searching interested curious list all something anything someone anyone thing more compare',
  ),
)
/** Words that "What is in the files?" is made of, in all its forms. */
const overviewWords = new Set([
  ...commands,
  ...stemsOf(
    'content contain everything all knowledge base library data info material source text topic subject cover hold inside learn available upload exist talk overview brief short shorten quick gist main key point sentence list see outline recap kind sort thing sum ask name number count',
  ),
])
const filesAtLarge = /\b(?:files?|documents?|docs|folder|knowledge(?: base)?|library|everything|all of (?:it|them))\b/i
const summary = /\b(?:summar\w*|overview|outline|gist|tl;?dr|sum up|main points|key points|recap)\b/i
const selfKnowledge =
  /\bwhat (?:all |else )?(?:do|can) you (?:know|answer)\b|\bwhat (?:can|could|should) i ask\b|\b(?:what|which) (?:topics|subjects)\b/i
const wantsList =
  /^\s*(?:please\s+)?(?:list|show|name|which|what|how many)\b(?:\s+\w+){0,2}?\s+(?:files|documents|docs)\b(?!.*\b(?:about|say|contain|in)\b)/i
const wantsText =
  /\b(?:read|open)\b|\bwhat(?:['’]s| is| stands) (?:in|inside)\b|\bwhat (?:does|do)\b.*\b(?:say|contain|cover)\s*\??$/i
const fileName = /(?<![\p{L}\p{N}_])[\p{L}\p{N}_][\p{L}\p{N}_./-]*\.(?:mdx?|txt|csv|docx?|pdf)(?![\p{L}\p{N}])/giu
/** Of "how many days" the days are looked for. */
const measure = /\bhow (?:many|much|long|far|old|tall|big|often|soon|late|well)\b/gi
/** More than this of a message says no more of what is wanted. */
const longestMessage = 2_000
/** A longer query has words enough. */
const mostWidened = 3
const followUp = /^\s*(?:and|or|also|what about|how about)(?![\p{L}])/iu
const pointing = /\b(?:it|its|that|this|those|these|them|they|there|he|she|one)\b/i

/**
 * Reads what a message wants of the files; `undefined` when it has no words to look for.
 *
 * @param earlier the user's message before, for "And part-time?"
 */
export function readFileWish(message: string, earlier: string | undefined): FileWish | undefined {
  const text = message.slice(0, longestMessage)
  const files = [...new Set(text.match(fileName) ?? [])]
  const wording = text.replace(fileName, ' ')
  const telling = contentStems(wording).filter((stem) => !overviewWords.has(stem))
  if (telling.length === 0) {
    if (files.length > 0) return { kind: 'read', files, words: '' }
    if (wantsList.test(wording)) return { kind: 'list' }
    const isOverview = filesAtLarge.test(wording) || summary.test(wording) || selfKnowledge.test(wording)
    if (isOverview) return { kind: 'read', files: [], words: '' }
  }
  const query = queryOf(wording, earlier)
  if (query === '') return undefined
  const isWhole = files.length === 0 && (summary.test(wording) || (wantsText.test(wording) && telling.length <= 3))
  if (isWhole) return { kind: 'read', files, words: query }
  return { kind: 'search', query, files }
}

/** The words that matter, in their order; those of the message before too, where this one goes on from it. */
function queryOf(text: string, earlier: string | undefined): string {
  const own = contentWords(text)
  const goesOn = followUp.test(text) || (own.length <= 1 && pointing.test(text))
  const before = goesOn && earlier !== undefined ? contentWords(earlier.slice(0, longestMessage)) : []
  const words = [...new Set([...own, ...before])]
  // The files may say "holidays" where the question says "vacation".
  const others = words.length <= mostWidened ? words.flatMap(synonymsOf) : []
  return [...new Set([...words, ...others])].join(' ')
}

/** The words of a query that the user said: those that stand for one before them are ours. */
export function ownWords(query: string): string {
  const words = wordsOf(query)
  return words
    .filter(({ stem }, index) => !words.slice(0, index).some((before) => areSynonyms(before.stem, stem)))
    .map(({ text }) => text)
    .join(' ')
}

function contentWords(text: string): string[] {
  const words = wordsOf(text.replace(measure, ' ')).filter((word) => !isStopWord(word.text))
  const telling = words.filter(({ stem }) => !commands.has(stem))
  return (telling.length > 0 ? telling : words).slice(0, 40).map((word) => word.text)
}
