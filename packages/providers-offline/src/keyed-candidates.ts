import type { Candidate } from './candidate.ts'
import { satisfies } from './check-value.ts'
import type { MessageText } from './message-text.ts'
import type { Parameter } from './parameters.ts'

/** Words that lead to free text, and the names of parameters that take it. */
const leading: [RegExp, RegExp, boolean][] = [
  [
    /\b(?:saying|that says|which says|stating|telling (?:him|her|them)(?: that)?)\s*:?\s+/giu,
    /^(?:body|message|text|content)$/i,
    false,
  ],
  [/\b(?:titled|called|named)\s*:?\s+/giu, /(?:title|name|subject)$/i, true],
  [/\b(?:because(?: of)?|since|due to)\s+/giu, /reason|cause|comment|note|justification$/i, false],
  [/\b(?:about|regarding)\s+/giu, /^(?:subject|topic|about)$/i, true],
]

/** Free text that a message names: `subject: Hello`, "with subject Hello and body See you", "saying hello". */
export function keyedCandidates(parameters: readonly Parameter[], message: MessageText): Candidate[] {
  const takers = parameters.filter(({ choices }) =>
    choices.some(({ type, enum: values }) => (type === 'string' || type === undefined) && !values),
  )
  const nextKey = keyPattern(parameters)
  return takers.flatMap((parameter) => [
    ...afterKey(parameter, message, nextKey),
    ...leading.flatMap(([cue, names, stopsAtSpans]) =>
      names.test(parameter.name)
        ? Array.from(message.text.matchAll(cue)).flatMap((match) =>
            taken(parameter, message, match.index, match.index + match[0].length, nextKey, 1.8, stopsAtSpans),
          )
        : [],
    ),
  ])
}

/** The names by which a message may call a parameter, the longest first. */
export function aliasesOf({ name }: Parameter): string[] {
  const words = name
    .replace(/[_-]/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const withoutKind = words.replace(/ (?:id|name|code|number|text|hash|address)$/, '')
  return [...new Set([words, name.toLowerCase(), withoutKind])].filter((alias) => alias.length > 1)
}

function keyPattern(parameters: readonly Parameter[]): string {
  const names = parameters.flatMap(aliasesOf).sort((a, b) => b.length - a.length)
  return names.length === 0 ? '(?!)' : `(?:${names.map(escapePattern).join('|')})`
}

function afterKey(parameter: Parameter, message: MessageText, nextKey: string): Candidate[] {
  const aliases = aliasesOf(parameter).map(escapePattern).join('|')
  if (aliases === '') return []
  const marked = new RegExp(`(?<![\\p{L}\\p{N}])(?:${aliases})["'\`]?\\s*[:=]\\s*`, 'giu')
  const found = Array.from(message.text.matchAll(marked)).flatMap((match) =>
    taken(parameter, message, match.index, match.index + match[0].length, nextKey, 2.5, false),
  )
  if (parameter.role !== 'text' && !/name$/i.test(parameter.name)) return found
  // Without a sign the name must stand where a name does: "with subject Hello", "the title is Hello".
  const spoken = new RegExp(
    `(?:\\b(?:with|and|its|the|whose|a|using)\\s+|,\\s*)(?:${aliases})\\s+(?:(?:is|as|to|being|saying)\\s+)?(?!of\\b|to\\b|for\\b|in\\b)`,
    'giu',
  )
  const isFirstThing = (index: number): boolean => /^\W*\p{L}*\W*$/u.test(message.text.slice(0, index))
  return [
    ...found,
    ...Array.from(message.text.matchAll(spoken))
      .filter((match) => !isFirstThing(match.index) || /\bis\b/.test(match[0]))
      .flatMap((match) => taken(parameter, message, match.index, match.index + match[0].length, nextKey, 2, false)),
  ]
}

function taken(
  parameter: Parameter,
  message: MessageText,
  keyStart: number,
  start: number,
  nextKey: string,
  score: number,
  stopsAtSpans: boolean,
): Candidate[] {
  const { text, spans } = message
  const quoted = spans.find((span) => span.kind === 'quoted' && span.start === start)
  const end = quoted ? quoted.end : endOfValue(parameter, message, start, nextKey, stopsAtSpans)
  const value = quoted
    ? quoted.text
    : text
        .slice(start, end)
        .trim()
        .replace(/[.,;]$/, '')
  if (value === '' || !parameter.choices.some((schema) => satisfies(value, schema))) return []
  return [{ parameter, start: keyStart, end, value, score, isSpecific: true, kind: 'rest' }]
}

function endOfValue(
  { role, name }: Parameter,
  { text, spans }: MessageText,
  start: number,
  nextKey: string,
  stopsAtSpans: boolean,
): number {
  const rest = text.slice(start)
  const isLong = role === 'text' && /body|message|text|content|description|note|prompt/i.test(name)
  const ends = [
    new RegExp(`\\s*(?:[,;\\n]|\\s(?:and|with))\\s*(?:(?:and|with|the|a)\\s+)*${nextKey}(?![\\p{L}\\p{N}])`, 'iu'),
    /\s*[,;]?\s+(?:saying|that says|titled)\s/iu,
    isLong ? /\n\s*\n/ : /[,;\n]|[.?!](?:\s|$)/,
  ].map((pattern) => pattern.exec(rest)?.index ?? rest.length)
  const typed = spans
    .filter((span) => stopsAtSpans && span.start > start && /^(?:date|time|email|url|number)$/.test(span.kind))
    .map(
      (span) =>
        text.slice(start, span.start).replace(/\s+(?:(?:on|at|to|for|by|from|in|with)\s+)?(?:the\s+)?$/i, '').length,
    )
  return start + Math.min(...ends, ...typed)
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
