import type { ToolSpec } from '@agentkit/core'
import { parametersOf } from './parameters.ts'
import { contentStems, stemsOf } from './tokens.ts'

/** What a tool is known by: its words, each with how much it tells. */
export type ToolWords = {
  tool: ToolSpec
  /** Stems of the name that mean something. */
  name: ReadonlySet<string>
  /** Stems of name, description and parameters' names: what a message says of the tool itself. */
  all: ReadonlySet<string>
  /** Stem to weight, of name, description and parameters. */
  weights: ReadonlyMap<string, number>
  /** Whether arithmetic may be put to it as it stands. */
  takesExpression: boolean
}

/** Verbs that half of all tools begin with: alone they choose none. */
const commonVerbs = new Set(
  stemsOf(
    'get fetch list show retrieve return make create add new set update change edit write read run do use check perform execute load save view handle process give provide',
  ),
)
/** Words that descriptions are full of. In a name they tell something. */
const fillers = new Set(
  stemsOf(
    'tool function call using user current data information info value result specified based item api able allow help single multiple number id name string text',
  ),
)

export function toolWordsOf(tool: ToolSpec): ToolWords {
  const weights = new Map<string, number>()
  const weigh = (stems: readonly string[], weight: number): void => {
    for (const word of stems) {
      const isFaint = commonVerbs.has(word) || (weight < 1 && fillers.has(word))
      const scaled = isFaint ? weight * 0.25 : weight
      if (scaled > (weights.get(word) ?? 0)) weights.set(word, scaled)
    }
  }
  const name = contentStems(tool.name)
  const [firstSentence = '', ...rest] = tool.description.split(/(?<=[.!?])\s+|\n/)
  // "add" says little in `addTodo` and everything in `add`, and where numbers are added.
  if (name.length === 1) weights.set(name[0] ?? '', 1)
  if (addsNumbers(tool)) weights.set('add', 1)
  weigh(name, 1)
  weigh(contentStems(withoutExamples(firstSentence)), 0.6)
  weigh(contentStems(withoutExamples(rest.join(' '))), 0.3)
  const parameters = parametersOf(tool.inputSchema)
  for (const parameter of parameters) {
    weigh(contentStems(parameter.name), 0.4)
    weigh(contentStems(withoutExamples(parameter.description)), 0.15)
    weigh(contentStems(parameter.choices.flatMap((choice) => choice.enum ?? []).join(' ')), 0.4)
  }
  const all = new Set([...weights].filter(([, weight]) => weight > 0.05).map(([word]) => word))
  const takesExpression = parameters.some(({ role }) => role === 'expression')
  return { tool, name: new Set(name), all, weights, takesExpression }
}

/** `add_numbers` reckons; `add_item` changes something. */
export function addsNumbers({ name, inputSchema }: ToolSpec): boolean {
  const required = parametersOf(inputSchema).filter((parameter) => parameter.required)
  const areNumbers = required.every(({ choices }) =>
    choices.some(({ type }) => type === 'number' || type === 'integer'),
  )
  return stemsOf(name)[0] === 'add' && required.length > 1 && areNumbers
}

/** Examples tell how an argument looks, not what the tool is for. */
function withoutExamples(text: string): string {
  return text
    .replace(/\(?\b(?:e\.?g\.?|for example|for instance|such as|like)[^.)]*\)?/gi, ' ')
    .replace(/["“'`][^"“”'`]*["”'`]/g, ' ')
}

/** Whether a word only says that something is done. */
export function isCommonVerb(stem: string): boolean {
  return commonVerbs.has(stem)
}
