import type { MessageText } from './message-text.ts'
import { areRelated } from './related-words.ts'
import type { Word } from './tokens.ts'
import { isCommonVerb } from './tool-words.ts'
import type { Vocabulary } from './vocabulary.ts'

type Range = { start: number; end: number }

const opening =
  /^(?:\s*(?:please|kindly|hey|hi|hello|ok|okay|so|now|then|and|also|can you|could you|would you|will you|can i|could i|may i|i want(?: you)? to|i(?:['’]d| would) like(?: you)? to|i need(?: you)? to|i want|i(?:['’]d| would) like|i need|let['’]?s|let us|go ahead and|help me(?: to)?|what(?:['’]s| is| are| was| were| does| do)|who(?:['’]s| is| are| was| wrote)|where(?:['’]s| is| are)|when(?:['’]s| is| are)|how (?:do|can|should|would) (?:i|you|we|one)|how (?:many|much)|how is|how are|tell me|show me|give me|find me|get me|do you know|do you have|is there|are there|look up|look for)(?![\p{L}\p{N}'’])[\s,:]*)+/iu
const connectors = new Set(
  'a an the to for of about on in at with by from into as that this my me our us your is are was be please saying says say called named titled and or up out some any all following it there regarding using through'.split(
    ' ',
  ),
)
const kinds = new Set('text sentence phrase word string message following item thing term topic one'.split(' '))
const closing = new Set(
  'please thanks now like for in to on at with by from of into as and or the a an using is today'.split(' '),
)

/** What leads to a value, and is no part of the text before it: "headphones under $50", "policy, at most 3". */
const comparing = new Set(
  'under below over above than less more most least at up to max maximum min minimum within before after until since only first top limit'.split(
    ' ',
  ),
)

/**
 * What a message says beside its command and the arguments found already: "buy milk" of "remind me to buy milk at 5 pm".
 */
export function restOfMessage(
  message: MessageText,
  used: readonly Range[],
  toolWords: Vocabulary,
): (Range & { text: string }) | undefined {
  const openingEnd = opening.exec(message.text)?.[0].length ?? 0
  const isUsed = (word: Word): boolean => used.some(({ start, end }) => word.start < end && start < word.end)
  const runs: Word[][] = [[]]
  for (const word of message.words) {
    if (word.start < openingEnd) continue
    const run = runs.at(-1) as Word[]
    const before = run.at(-1)
    if (isUsed(word)) while (comparing.has(run.at(-1)?.text.toLowerCase() ?? '')) run.pop()
    if (isUsed(word) || (before && /[.?!;]\s/.test(message.text.slice(before.end, word.start)))) runs.push([])
    if (!isUsed(word)) runs.at(-1)?.push(word)
  }
  const commandStart = message.words.find((word) => word.start >= openingEnd)?.start ?? 0
  const trimmed = runs.map((run) => trim(run, commandStart, toolWords)).filter((run) => run.length > 0)
  const longest = trimmed.reduce<Word[]>((best, run) => (sizeOf(run) > sizeOf(best) ? run : best), [])
  const first = longest[0]
  const last = longest.at(-1)
  if (!first || !last) return undefined
  const edge = message.text[first.start - 1] ?? ''
  const start = /[$€£#@/("'“]/.test(edge) ? first.start - 1 : first.start
  const after = /^[)"'”%+#]+/.exec(message.text.slice(last.end))?.[0].length ?? 0
  const text = message.text.slice(start, last.end + after)
  return { start, end: last.end + after, text }
}

function sizeOf(run: readonly Word[]): number {
  return run.reduce((size, word) => size + (connectors.has(word.text.toLowerCase()) ? 0.1 : 1), 0)
}

function trim(run: readonly Word[], commandStart: number, toolWords: Vocabulary): Word[] {
  let from = 0
  const isTool = (word: Word): boolean => [...toolWords.name].some((name) => areRelated(name, word.stem))
  // The command itself: "Open" of "Open an issue …", where the description says so.
  const [first] = run
  if (first?.start === commandStart && (toolWords.all.has(first.stem) || isCommonVerb(first.stem))) from++
  while (from < run.length && isLeading(run[from] as Word, run, from, isTool)) from++
  const rest = run.slice(from)
  for (let before = -1; before !== rest.length; ) {
    before = rest.length
    while (rest.length > 0 && isTrailing(rest)) rest.pop()
    const place = lengthOfPlace(rest, toolWords)
    if (place < rest.length) rest.length -= place
    if (rest.length > 1 && toolWords.name.has(rest.at(-1)?.stem ?? '')) rest.pop()
  }
  return rest
}

function isLeading(word: Word, run: readonly Word[], index: number, isTool: (word: Word) => boolean): boolean {
  const lower = word.text.toLowerCase()
  if (connectors.has(lower) || isTool(word)) return true
  return kinds.has(lower) && index < run.length - 1
}

function isTrailing(run: readonly Word[]): boolean {
  const last = run.at(-1)?.text.toLowerCase() ?? ''
  const pair = `${run.at(-2)?.text} ${last}`.toLowerCase()
  return closing.has(last) || pair === 'thank you' || pair === 'for me' || pair === 'to me'
}

/** How many words at the end only say where: "… in the docs", "… to my to-do list". */
function lengthOfPlace(run: readonly Word[], { all }: Vocabulary): number {
  for (let length = 2; length <= Math.min(6, run.length - 1); length++) {
    const [first, ...rest] = run.slice(-length)
    if (!/^(?:to|in|on|from|of|at)$/i.test(first?.text ?? '')) continue
    const named = rest.filter(({ text }) => !/^(?:the|my|our|your|a|to|do)$/i.test(text))
    if (named.length > 0 && named.every((word) => [...all].some((name) => areRelated(name, word.stem)))) return length
  }
  return 0
}
