import fc from 'fast-check'
import { boundary, multipart } from './requests.ts'

/** A JSON Schema, as far as `/openapi.json` uses it. */
export type JSONSchema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, JSONSchema>
  required?: string[]
  items?: JSONSchema
  anyOf?: JSONSchema[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

/** A route of `/openapi.json`. */
export type Operation = {
  method: string
  path: string
  parameters: { name: string; in: string; required: boolean; schema: JSONSchema }[]
  bodies: Record<string, JSONSchema>
}

export type RandomRequest = {
  method: string
  /** The target of the request, with its query. */
  target: string
  headers: Record<string, string>
  body: Uint8Array | undefined
}

/** Texts that something exists for, by the name of their parameter or field, so that requests also succeed. */
export type KnownTexts = Readonly<Record<string, readonly string[]>>

/** Requests to a route, valid and invalid in any part. */
export function randomRequest(operation: Operation, known: KnownTexts): fc.Arbitrary<RandomRequest> {
  return fc
    .record({
      method: mostly(fc.constant(operation.method), fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'PROPFIND')),
      path: pathOf(operation, known),
      query: queryOf(operation, known),
      headers: headersOf(operation),
      body: bodyOf(operation, known),
    })
    .map(({ method, path, query, headers, body }) => ({
      method,
      target: path + (query === '' ? '' : `?${query}`),
      headers: { ...(body.type !== undefined && { 'content-type': body.type }), ...headers },
      body: method === 'GET' || method === 'HEAD' ? undefined : body.bytes,
    }))
}

/** Nine of ten. */
function mostly<Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
}

/** Texts that break what does not expect them. */
const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    ...['', ' ', '\0', 'a\0b', '\r\nx: y', '__proto__', 'constructor', '../../etc/passwd', '..', '.', '%00', '%2e%2e%2f'],
    ...['-1', '0', '1e9', '1.5', '99999999999999999999', 'NaN', 'null', 'true', '[]', '{}', '"', '""', "' OR 1=1 --"],
    ...['\ud800', '\u202e', '\ufeff', '🐈‍⬛', 'ﬃ', 'x'.repeat(129), 'x'.repeat(5_000), '*', 'run_', 'a/b', '${7*7}'],
  ),
)

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom(null, true, -1, 1.5, 1e308, 0, [], {}, [[[]]], { __proto__: 1 }, { constructor: { prototype: 1 } }),
  fc.constant(nested(40)),
  fc.jsonValue({ maxDepth: 2 }),
)

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}

/** Segments as they are sent: encoded once, or in ways that no client should send. */
function pathOf({ path }: Operation, known: KnownTexts): fc.Arbitrary<string> {
  const broken = fc.constantFrom('%', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%u0041', '%2', 'a%00b', '..%2f..%2f', '%252e', ';', '*')
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith('{')) return fc.constant(segment)
    const text = fc.oneof(validText(segment.slice(1, -1), {}, known), oddText)
    const encoded = text.map((each) => encodeURIComponent(each.toWellFormed()))
    return fc.oneof({ weight: 4, arbitrary: encoded }, { weight: 1, arbitrary: broken })
  })
  const ending = mostly(fc.constant(''), fc.constantFrom('/', '//', '/x', '%2f', '.', '?'))
  return fc.tuple(fc.tuple(...segments), ending).map(([parts, end]) => parts.join('/') + end)
}

function queryOf({ parameters }: Operation, known: KnownTexts): fc.Arbitrary<string> {
  const pairs = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) =>
      fc
        .oneof(
          { weight: 9, arbitrary: validValue(name, schema, known).map((value) => [encodeURIComponent(String(value))]) },
          { weight: 2, arbitrary: oddText.map((text) => [encodeURIComponent(text.toWellFormed())]) },
          { weight: 1, arbitrary: fc.constantFrom(['%zz'], ['%ff'], ['a', 'a'], ['%00']) },
          { weight: 1, arbitrary: fc.constant([]) },
        )
        .map((values: readonly string[]) => values.map((value) => `${name}=${value}`)),
    )
  const extra = mostly<string>(fc.constant(''), fc.constantFrom('x=y', 'token=abc', '&&==', '__proto__=1', 'user_id[]=ada'))
  return fc.tuple(fc.tuple(...pairs), extra).map(([own, more]) => [...own.flat(), more].filter((pair) => pair !== '').join('&'))
}

function headersOf({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const values: Record<string, fc.Arbitrary<string>> = {
    accept: fc.constantFrom('*/*', 'application/json', 'text/event-stream', 'text/plain', 'image/png', ';;;', 'a/b;q=x', '*/*;q=0'),
    'x-request-id': fc.constantFrom('abc', 'a b', 'x'.repeat(200), '"'),
    'last-event-id': fc.constantFrom('1', '0', '-1', 'x', '99999999999999999999', ''),
    'accept-encoding': fc.constantFrom('gzip', 'br', 'identity;q=0', '*'),
    'content-encoding': fc.constantFrom('gzip', 'br'),
    range: fc.constantFrom('bytes=0-1', 'bytes=9-1', 'x'),
    'if-none-match': fc.constantFrom('*', '"x"'),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') && {
      'idempotency-key': fc.constantFrom('key-1', 'key-2', 'x'.repeat(255), 'x'.repeat(256), '', 'a b', 'ü'),
    }),
  }
  const entries = Object.entries(values).map(([name, value]) =>
    fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: value.map((text) => [[name, text]]) }),
  )
  return fc.tuple(...entries).map((found) => Object.fromEntries(found.flat()))
}

type Body = { type: string | undefined; bytes: Uint8Array | undefined }

function bodyOf({ bodies }: Operation, known: KnownTexts): fc.Arbitrary<Body> {
  const none: fc.Arbitrary<Body> = fc.constant({ type: undefined, bytes: undefined })
  const own = Object.entries(bodies).map(([type, schema]): fc.Arbitrary<Body> => {
    const value = fc.oneof(
      { weight: 4, arbitrary: validValue('', schema, known) },
      { weight: 4, arbitrary: changed(validValue('', schema, known)) },
      { weight: 1, arbitrary: oddValue },
    )
    return type === 'multipart/form-data' ? value.chain(formOf) : value.map((json) => ({ type, bytes: bytesOf(json) }))
  })
  const broken = fc.record({
    type: fc.constantFrom(
      ...['application/json', multipart, 'multipart/form-data', 'text/plain', 'application/json; charset=utf-16', 'x'],
      ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=', 'application/json;charset="', '*/*'],
    ),
    bytes: fc.oneof(
      fc.uint8Array({ maxLength: 50 }),
      fc.constantFrom('{', '{"a":', '"', '\ufeff{}', '[1,]', `--${boundary}`, `--${boundary}--`, `--${boundary}\r\n\r\n`).map(textBytes),
      fc.constant(textBytes('['.repeat(10_000))),
    ),
  })
  if (own.length === 0) return mostly(none, broken)
  return fc.oneof({ weight: 8, arbitrary: fc.oneof(...own) }, { weight: 2, arbitrary: broken }, { weight: 1, arbitrary: none })
}

/** One field is removed, replaced or added. */
function changed(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(value, fc.nat(), oddValue, oddText, fc.constantFrom('remove', 'replace', 'add')).map(([json, index, other, name, how]) => {
    if (typeof json !== 'object' || json === null) return other
    const entries = Object.entries(json)
    if (how === 'add') return Object.fromEntries([...entries, [name, other]])
    if (entries.length === 0) return other
    const at = index % entries.length
    if (how === 'remove') return Object.fromEntries(entries.filter((_, each) => each !== at))
    return Object.fromEntries(entries.map(([key, old], each) => [key, each === at ? other : old]))
  })
}

function formOf(value: unknown): fc.Arbitrary<Body> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [['x', value]]
  const parts = entries.flatMap(([name, content]) => {
    const isFile = name === 'files' && Array.isArray(content) // of names
    const contents = isFile ? content : [content]
    return contents.map((each) => {
      const text = typeof each === 'string' ? each : JSON.stringify(each)
      const file = isFile ? `; filename="${text.slice(0, 30)}"` : ''
      return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`
    })
  })
  const whole = `${parts.join('')}--${boundary}--\r\n`
  const bytes = mostly(fc.constant(whole), fc.nat(whole.length).map((length) => whole.slice(0, length)))
  return bytes.map((text) => ({ type: multipart, bytes: textBytes(text) }))
}

/** A value that a schema allows. */
function validValue(name: string, schema: JSONSchema, known: KnownTexts): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf && !schema.properties) return fc.oneof(...schema.anyOf.map((each) => validValue(name, each, known)))
  const [type] = [schema.type ?? 'object'].flat()
  switch (type) {
    case 'string':
      return validText(name, schema, known)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000 })
    case 'number':
      return fc.double({ noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(validValue(name, schema.items ?? {}, known), { minLength: 1, maxLength: 3 })
    default: {
      const { properties = {}, required: always = [], anyOf: [{ required: first = [] } = {}] = [] } = schema
      const required = [...always, ...first]
      const fields = Object.entries(properties).map(([field, inner]) => [field, validValue(field, inner, known)])
      const record: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields)
      // Without auth each request names its user.
      const requiredKeys = [...required, ...('user_id' in properties ? ['user_id'] : [])]
      return fc.oneof(fc.record(record, { requiredKeys }), fc.record(pick(record, requiredKeys)))
    }
  }
}

function validText(name: string, { minLength = 0, maxLength = 20 }: JSONSchema, known: KnownTexts): fc.Arbitrary<string> {
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, 20) })
  const { [name]: texts = [] } = known
  return texts.length === 0 ? any : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...texts) }, { weight: 1, arbitrary: any })
}

function pick<Value>(record: Record<string, Value>, names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
}

function bytesOf(value: unknown): Uint8Array {
  return textBytes(JSON.stringify(value) ?? '')
}

function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
