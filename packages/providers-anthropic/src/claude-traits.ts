/** What a Claude takes, as far as its name tells. */
export type ClaudeTraits = {
  /** How it is asked to think: with an effort, with a budget of tokens, or not at all. */
  thinking: 'adaptive' | 'budget' | 'none'
  /** What turns thinking off; `never` where nothing does. */
  withoutThinking: 'absent' | 'disabled' | 'between_tools' | 'never'
  /** Whether what it thinks is told only on demand. */
  hidesThinking: boolean
  /** Whether it takes a tool choice that leaves no choice. */
  forcedTools: boolean
  /** Whether it takes `temperature`. */
  sampling: boolean
  /** Whether it can hold an answer to a JSON Schema. */
  nativeOutput: boolean
  /** Whether it takes what it thought back only in the conversation where it thought it. */
  bindsThinking: boolean
  /** The longest answer that every model of its age gives, in tokens. */
  maxOutputTokens: number
}

/**
 * What is known of a model by its name, also as gateways write it: `anthropic/claude-opus-5.5`. A Claude that is newer
 * than this table is taken to be as strict as the newest; a name that is no Claude's is another server's.
 */
export function claudeTraits(model: string): ClaudeTraits {
  if (!model.includes('claude')) return otherModel
  const { family, version } = parse(model)
  const adaptive = version >= 406
  return {
    thinking: adaptive ? 'adaptive' : version >= 307 ? 'budget' : 'none',
    withoutThinking: withoutThinking(family, version),
    hidesThinking: version >= 407,
    forcedTools: forcedTools(family, version),
    sampling: version <= 406,
    nativeOutput: version >= 405,
    bindsThinking: version >= 501,
    maxOutputTokens: version >= 405 ? 64_000 : 8_192,
  }
}

/** Of servers that speak like Anthropic's, each does what it can. */
const otherModel: ClaudeTraits = {
  thinking: 'budget',
  withoutThinking: 'absent',
  hidesThinking: false,
  forcedTools: true,
  sampling: true,
  nativeOutput: false,
  bindsThinking: false,
  maxOutputTokens: 8_192,
}

/** The version as one number: 4.5 is 405. A name without one is the newest's, such as an alias. */
function parse(model: string): { family: string; version: number } {
  const found = /claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model)
  if (found) return { family: found[1] ?? '', version: Number(found[2]) * 100 + Number(found[3] ?? 0) }
  return { family: /claude-([a-z]+)/.exec(model)?.[1] ?? '', version: Number.POSITIVE_INFINITY }
}

function withoutThinking(family: string, version: number): ClaudeTraits['withoutThinking'] {
  if (family === 'fable' || family === 'mythos') return 'never'
  if (version <= 408) return 'absent'
  if (family === 'haiku' && version <= 505) return 'disabled'
  if (version <= 500) return 'disabled'
  return family === 'sonnet' && version === 505 ? 'between_tools' : 'never'
}

function forcedTools(family: string, version: number): boolean {
  return version <= 500 || (family === 'haiku' && version === 505)
}
