import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { checkContents, checkSystemInstruction } from './check-contents.ts'
import { refused } from './check-part.ts'
import { checkSchema } from './check-schema.ts'
import { checkTools } from './check-tools.ts'
import { modelRules } from './model-rules.ts'
import { parseMessage } from './parse-message.ts'

/** Rejects what `:generateContent` and `:streamGenerateContent` reject. */
export function checkRequest(body: Fields, model: string): void {
  const request = parseMessage(body, 'GenerateContentRequest')
  checkContents(request.contents, model)
  // The message was parsed, so its fields have their types.
  checkSystemInstruction(request.systemInstruction as Fields | undefined, model)
  checkTools(request, model)
  if (isFields(request.generationConfig)) checkGeneration(request.generationConfig, model)
}

/** The numbers of the generation config with their ranges. */
const ranges: Record<string, { takes: (value: number) => boolean; words: string }> = {
  temperature: { takes: (value) => value >= 0 && value <= 2, words: 'must be in the range [0.0, 2.0]' },
  top_p: { takes: (value) => value >= 0 && value <= 1, words: 'must be in the range [0.0, 1.0]' },
  top_k: { takes: (value) => value > 0, words: 'must be positive' },
  max_output_tokens: { takes: (value) => value > 0, words: 'must be positive' },
}
const mediaTypes = ['text/plain', 'application/json', 'application/xml', 'application/yaml', 'text/x.enum']

function checkGeneration(config: Fields, model: string): void {
  const path = 'generation_config'
  const { temperature, topP: top_p, topK: top_k, maxOutputTokens: max_output_tokens } = config
  for (const [name, value] of Object.entries({ temperature, top_p, top_k, max_output_tokens })) {
    const range = ranges[name]
    if (value === undefined || !range || range.takes(Number(value))) continue
    throw refused(`${path}.${name}`, `${name} ${range.words}.\n`)
  }
  if ((config.presencePenalty ?? config.frequencyPenalty) !== undefined && modelRules(model).thinks) {
    throw new ApiError(400, 'Penalty is not enabled for this model')
  }
  const stops = (config.stopSequences ?? []) as unknown[]
  if (stops.length > 5) throw refused(`${path}.stop_sequences`, 'the number of stop sequences must not exceed 5.\n')
  checkOutput(config, path)
  if (isFields(config.thinkingConfig)) checkThinking(config.thinkingConfig, model)
}

function checkOutput(config: Fields, path: string): void {
  const { responseMimeType: type = 'text/plain', responseSchema, responseJsonSchema } = config
  if (!mediaTypes.includes(String(type))) {
    const list = mediaTypes.map((name) => `\`${name}\``).join(', ')
    throw refused(`${path}.response_mime_type`, `allowed mimetypes are ${list}.\n`)
  }
  if (responseSchema !== undefined && responseJsonSchema !== undefined) {
    throw refused(path, 'only one of response_schema and response_json_schema can be set.\n')
  }
  if ((responseSchema ?? responseJsonSchema) !== undefined && type !== 'application/json' && type !== 'text/x.enum') {
    const name = responseSchema === undefined ? 'response_json_schema' : 'response_schema'
    throw refused(`${path}.${name}`, 'only allowed when response_mime_type is `application/json` or `text/x.enum`.\n')
  }
  if (isFields(responseSchema)) checkSchema(responseSchema, `${path}.response_schema`)
}

function checkThinking(thinking: Fields, model: string): void {
  const { thinks, isThird, budgets, levels } = modelRules(model)
  const { thinkingBudget, thinkingLevel, includeThoughts } = thinking
  if (!thinks && (includeThoughts || thinkingBudget || thinkingLevel)) {
    throw new ApiError(400, 'Unable to submit request because thinking is not supported by this model.')
  }
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    throw new ApiError(400, 'You can only set only one of thinking budget and thinking level.')
  }
  if (thinkingLevel !== undefined) {
    if (!isThird) throw new ApiError(400, 'Thinking level is not supported for this model.')
    const level = String(thinkingLevel).toUpperCase()
    if (!levels.includes(level)) {
      throw new ApiError(
        400,
        `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
      )
    }
  }
  const budget = thinkingBudget === undefined ? -1 : Number(thinkingBudget)
  if (budget === -1) return
  if (budget === 0) {
    if (budgets.off) return
    throw new ApiError(400, 'Budget 0 is invalid. This model only works in thinking mode.')
  }
  if (budget >= budgets.least && budget <= budgets.most) return
  throw new ApiError(
    400,
    `The thinking budget ${budget} is invalid. Please choose a value between ${budgets.least} and ${budgets.most}.`,
  )
}
