import { createHmac } from 'node:crypto'
import { type Fields, isFields } from '../wire-spec.ts'

/** The sealed data of a thinking block's signature. */
type Seal = {
  id: string
  model: string
  /** The thinking block before this one; `null` when it is the first. */
  after: string | null
  text: string
  /** The digests of everything before it: the system prompt, the tools, the messages. */
  system: string
  tools: string
  messages: string
}

/** Creates the signature that a client sends back with a thinking block and cannot create itself. */
export function sign(seal: Seal): string {
  const sealed = Buffer.from(JSON.stringify(seal)).toString('base64url')
  return `${sealed}.${hmac(sealed)}`
}

/** The sealed data of a signature, or `undefined` when this server did not issue it. */
export function unseal(signature: string): Seal | undefined {
  const [sealed = '', mark] = signature.split('.')
  if (mark !== hmac(sealed)) return undefined
  return JSON.parse(Buffer.from(sealed, 'base64url').toString()) as Seal
}

/** A digest of a value's meaning: independent of key order, cache marks and null fields. */
export function digest(value: unknown): string {
  return hmac(JSON.stringify(canonical(value)) ?? '')
}

// The key is not secret: it only distinguishes the signatures of this server from others.
function hmac(text: string): string {
  return createHmac('sha256', 'fake-anthropic').update(text).digest('base64url').slice(0, 22)
}

const meaningless = ['cache_control', 'caller']

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isFields(value)) return value
  const result: Fields = {}
  for (const name of Object.keys(value).sort()) {
    const field = value[name]
    if (field === undefined || field === null || field === false || meaningless.includes(name)) continue
    result[name] = name === 'content' && typeof field === 'string' ? [{ text: field, type: 'text' }] : canonical(field)
  }
  return result
}
