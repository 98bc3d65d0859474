import { ApiError } from '../errors.ts'
import type { Fields } from '../wire-spec.ts'
import { modelRules } from './model-rules.ts'
import { toSnakeCase } from './parse-message.ts'
import { isSignature } from './signature.ts'

/** The variants of a part; it is exactly one of them. */
const data =
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse'.split(
    ' ',
  )

const mediaTypes = new RegExp(
  '^(image/(png|jpeg|webp|heic|heif)|audio/[\\w.+-]+|video/[\\w.+-]+|application/(pdf|json|rtf|x-javascript|' +
    'x-typescript|x-python-code)|text/[\\w.+-]+)$',
)

/** The API's message for an invalid function name. */
export const namePattern: RegExp = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/
export const nameWords: string =
  'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), ' +
  'underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n'

/** Rejects a part that the API rejects. */
export function checkPart(part: Fields, path: string, model: string): void {
  const given = data.filter((name) => part[name] !== undefined)
  if (given.length > 1) {
    throw new ApiError(
      400,
      `Invalid value at '${path}' (oneof), oneof field 'data' is already set. Cannot set '${given[1]}'`,
    )
  }
  const signed = part.thoughtSignature !== undefined
  // A signature without further text comes with an empty text, and goes back so.
  if (given.length === 0 || (part.text === '' && !signed)) {
    throw refused(`${path}.data`, "required oneof field 'data' must have one initialized field\n")
  }
  if (signed && !isSignature(part.thoughtSignature)) throw new ApiError(400, 'Corrupted thought signature.')
  const name = String(given[0])
  const value = part[name] as Fields
  const place = `${path}.${toSnakeCase(name)}`
  if (name === 'inlineData') checkMedia(value, place)
  if (name === 'fileData' && !value.fileUri) throw refused(`${place}.file_uri`, 'file_uri must not be empty.\n')
  if (name === 'functionCall') checkName(value, place)
  if (name === 'functionResponse') checkResponse(value, place, model)
}

function checkMedia(blob: Fields, path: string): void {
  if (!blob.data) throw refused(`${path}.data`, 'data must not be empty.\n')
  if (!mediaTypes.test(String(blob.mimeType))) throw new ApiError(400, `Unsupported MIME type: ${blob.mimeType ?? ''}`)
}

function checkName(call: Fields, path: string): void {
  if (!call.name) throw refused(`${path}.name`, 'Name cannot be empty.\n')
  if (!namePattern.test(String(call.name))) throw refused(`${path}.name`, nameWords)
}

function checkResponse(response: Fields, path: string, model: string): void {
  checkName(response, path)
  if (response.response === undefined) throw refused(`${path}.response`, 'response must be set.\n')
  const parts = (response.parts ?? []) as Fields[]
  if (parts.length > 0 && !modelRules(model).isThird) {
    throw refused(`${path}.parts`, 'multimodal function responses are not supported by this model.\n')
  }
  parts.forEach((part, index) => {
    if (part.inlineData) checkMedia(part.inlineData as Fields, `${path}.parts[${index}].inline_data`)
  })
}

export function refused(path: string, problem: string): ApiError {
  return new ApiError(400, `* GenerateContentRequest.${path}: ${problem}`)
}
