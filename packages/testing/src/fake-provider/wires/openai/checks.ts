import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'

export function requireField(fields: Fields, name: string, path: string): unknown {
  const value = fields[name]
  if (value === undefined || value === null || value === '') {
    const param = path === '' ? name : `${path}.${name}`
    throw new ApiError(400, `Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' })
  }
  return value
}

export function requireOneOf(value: unknown, supported: readonly string[], param: string): void {
  if (typeof value === 'string' && supported.includes(value)) return
  const list = supported.map((item) => `'${item}'`).join(', ')
  throw new ApiError(400, `Invalid value: '${String(value)}'. Supported values are: ${list}.`, {
    param,
    code: 'invalid_value',
  })
}

export function requireList(value: unknown, param: string): unknown[] {
  if (Array.isArray(value)) return value
  throw invalidType(param, 'an array', value)
}

export function requireText(value: unknown, param: string): string {
  if (typeof value === 'string') return value
  throw invalidType(param, 'a string', value)
}

export function requireFields(value: unknown, param: string): Fields {
  if (isFields(value)) return value
  throw invalidType(param, 'an object', value)
}

export function requireShort(value: unknown, longest: number, param: string): void {
  if (typeof value !== 'string' || value.length <= longest) return
  throw new ApiError(
    400,
    `Invalid '${param}': string too long. Expected a string with maximum length ${longest}, ` +
      `but got a string with length ${value.length} instead.`,
    { param, code: 'string_above_max_length' },
  )
}

export function refuseUnknownKeys(body: Fields, known: ReadonlySet<string>): void {
  const unknown = Object.keys(body).find((key) => !known.has(key))
  if (unknown === undefined) return
  throw new ApiError(400, `Unknown parameter: '${unknown}'.`, { param: unknown, code: 'unknown_parameter' })
}

/** Only GPT-5.6 and later models take breakpoints. */
export function refuseBreakpoints({ model, ...body }: Fields): void {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?/.exec(String(model)) ?? []
  if (Number(major) * 100 + Number(minor) >= 506) return
  const isMarked = JSON.stringify(body).includes('"prompt_cache_breakpoint":{')
  if (body.prompt_cache_options === undefined && !isMarked) return
  const param = isMarked ? 'prompt_cache_breakpoint' : 'prompt_cache_options'
  throw new ApiError(400, `Unsupported parameter: '${param}' is not supported with this model.`, {
    param,
    code: 'unsupported_parameter',
  })
}

/** Models that reason take no sampling parameters while they do. */
export function refuseSampling(body: Fields, effort: unknown): void {
  if (!isReasoningModel(body.model) || effort === 'none') return
  for (const name of ['temperature', 'top_p']) {
    if (body[name] === undefined || body[name] === null || body[name] === 1) continue
    throw new ApiError(400, `Unsupported parameter: '${name}' is not supported with this model.`, {
      param: name,
      code: 'unsupported_parameter',
    })
  }
}

/** Models that reason take no `stop`, but for the first ones. */
export function refuseStop(body: Fields): void {
  if (body.stop === undefined || body.stop === null || !isReasoningModel(body.model)) return
  if (typeof body.model === 'string' && /^o(?:1|3-mini)(?:-|$)/.test(body.model)) return
  throw new ApiError(400, "Unsupported parameter: 'stop' is not supported with this model.", {
    param: 'stop',
    code: 'unsupported_parameter',
  })
}

export function isReasoningModel(model: unknown): boolean {
  return typeof model === 'string' && /^(?:o\d|gpt-5(?!-chat))/.test(model)
}

function invalidType(param: string, expected: string, value: unknown): ApiError {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`
  return new ApiError(400, `Invalid type for '${param}': expected ${expected}, but got ${actual} instead.`, {
    param,
    code: 'invalid_type',
  })
}
