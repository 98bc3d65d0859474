import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { checkPart } from './check-part.ts'
import { modelRules } from './model-rules.ts'

/** One turn of a conversation whose parts were checked. */
type Turn = { role: string; calls: Fields[]; responses: Fields[]; parts: Fields[] }

/** Rejects a conversation that the API rejects. */
export function checkContents(contents: unknown, model: string): void {
  // The message was parsed, so its fields have their types.
  const list = (contents ?? []) as Fields[]
  if (list.length === 0) throw new ApiError(400, '* GenerateContentRequest.contents: contents is not specified\n')
  const turns = list.map((content, index) => checkContent(content, `contents[${index}]`, model))
  turns.forEach((turn, index) => {
    checkCalls(turn, turns[index - 1], turns[index + 1])
    checkResponses(turn, turns[index - 1])
  })
  if (modelRules(model).isThird) checkSignatures(turns)
}

/** Rejects a system prompt that the API rejects. */
export function checkSystemInstruction(instruction: Fields | undefined, model: string): void {
  if (instruction) checkContent({ ...instruction, role: 'user' }, 'system_instruction', model)
}

function checkContent(content: Fields, path: string, model: string): Turn {
  const role = content.role === undefined || content.role === '' ? 'user' : String(content.role)
  if (!['user', 'model', 'function'].includes(role)) throw new ApiError(400, 'Please use a valid role: user, model.')
  const parts = (content.parts ?? []) as Fields[]
  if (parts.length === 0) {
    throw new ApiError(400, `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.\n`)
  }
  for (const [index, part] of parts.entries()) checkPart(part, `${path}.parts[${index}]`, model)
  const calls = parts.filter((part) => part.functionCall !== undefined)
  const responses = parts.filter((part) => part.functionResponse !== undefined)
  return { role, calls, responses, parts }
}

/** Calls follow a turn of the user or of a function, and the next turn answers each of them and contains nothing else. */
function checkCalls(turn: Turn, before: Turn | undefined, next: Turn | undefined): void {
  if (turn.calls.length === 0) return
  if (!before || before.role === 'model') {
    throw new ApiError(
      400,
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  }
  const answered = next?.responses.length ?? 0
  if (answered === turn.calls.length && answered === next?.parts.length) return
  throw new ApiError(
    400,
    'Please ensure that the number of function response parts is equal to the number of function call parts of the ' +
      'function call turn.',
  )
}

function checkResponses(turn: Turn, before: Turn | undefined): void {
  if (turn.responses.length === 0 || (before?.calls.length && turn.role !== 'model')) return
  throw new ApiError(400, 'Please ensure that function response turn comes immediately after a function call turn.')
}

/** Since the last user turn, the first call of each turn carries its original signature. */
function checkSignatures(turns: readonly Turn[]): void {
  const begin = turns.findLastIndex((turn) => turn.role !== 'model' && turn.responses.length < turn.parts.length)
  turns.slice(begin + 1).forEach((turn, index) => {
    const first = turn.calls[0]
    if (!first || first.thoughtSignature !== undefined) return
    const { name } = first.functionCall as Fields
    throw new ApiError(
      400,
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work ' +
        'correctly, and missing thought_signature may lead to degraded model performance. Additional data, function ' +
        `call \`default_api:${name}\` , position ${begin + 2 + index}. Please refer to ` +
        'https://ai.google.dev/gemini-api/docs/thought-signatures for more details.',
    )
  })
}
