import { AgentKitError, type JSONSchema, type JSONValue } from '@agentkit/core'
import { satisfies } from './check-value.ts'
import { type Conversation, resultValue } from './conversation.ts'
import { describeResults } from './describe-results.ts'
import type { FileTools } from './file-tools.ts'
import { fillArguments } from './fill-arguments.ts'
import { readText } from './message-text.ts'
import { parametersOf } from './parameters.ts'
import { fieldsOf } from './result-fields.ts'
import { noVocabulary } from './vocabulary.ts'

/**
 * An object that follows a JSON Schema, from this turn's results and the message.
 * @throws AgentKitError `unsupported` when a required value stands in neither
 */
export function fillOutput(schema: JSONSchema, conversation: Conversation, today: Date, files?: FileTools): string {
  const message = readText([conversation.question, ...conversation.passages].join('\n\n'), today)
  const { input, missing } = fillArguments(schema, message, noVocabulary, knownValues(schema, conversation, files))
  if (missing.length === 0 && satisfies(input, schema)) return JSON.stringify(input)
  const names = missing.map(({ path }) => `"${path.join('.')}"`).join(', ')
  throw new AgentKitError(
    'unsupported',
    `offline/extractive fills an output schema only with values that stand in the message or in tool results${names === '' ? '' : `; it found none for ${names}`}. ` +
      'Give them in the message as "name: value", or use a real model (LLMPROVIDER_API_KEY, OPENAI_API_KEY, or model = "…").',
    { provider: 'offline', model: 'extractive' },
  )
}

/** Fields of results by the name of a property, and the written answer for one that asks for it. */
function knownValues(
  schema: JSONSchema,
  { results, question }: Conversation,
  files: FileTools | undefined,
): Map<string, JSONValue> {
  const known = new Map<string, JSONValue>()
  const finished = results.filter(({ message }) => !message.isError)
  const fields = finished.flatMap(({ message }) => {
    const value = resultValue(message)
    return value === undefined ? [] : fieldsOf(value)
  })
  for (const parameter of parametersOf(schema)) {
    const fits = (value: JSONValue): boolean => parameter.choices.some((choice) => satisfies(value, choice))
    const field = fields.find(
      ({ path, value }) => path.at(-1)?.toLowerCase() === parameter.name.toLowerCase() && fits(value),
    )
    const answer = describeResults(finished, question, files).join('\n')
    if (field) known.set(parameter.path.join('.'), field.value)
    else if (/^(?:answer|response|reply|summary)$/i.test(parameter.name) && answer !== '' && fits(answer)) {
      known.set(parameter.path.join('.'), answer)
    }
  }
  return known
}
