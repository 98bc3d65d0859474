import { createHmac } from 'node:crypto'

/** The signature that the API documents for function calls that it did not make itself. */
const sentinels = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/** Creates a thought signature, as opaque to a client as the API's. */
export function signThought(id: string): string {
  const sealed = Buffer.from(`fake-gemini:${id}:${mark(id)}`)
  return sealed.toString('base64')
}

/** Whether a signature was issued here, or is the documented placeholder. */
export function isSignature(signature: unknown): boolean {
  if (sentinels.includes(String(signature))) return true
  const [server, id = '', given] = Buffer.from(String(signature), 'base64').toString().split(':')
  return server === 'fake-gemini' && given === mark(id)
}

// The key is not secret: it only distinguishes the signatures of this server from others.
function mark(id: string): string {
  return createHmac('sha256', 'fake-gemini').update(id).digest('hex').slice(0, 16)
}
