import { invalidConfig } from '@agentkit/core/internal'

/** The prefix of a secret of Standard Webhooks; base64 follows. */
const prefix = 'whsec_'

/**
 * The key of a secret: its bytes in base64 after `whsec_`, otherwise the text itself.
 * @throws AgentKitError `invalid-config` for a secret without base64 after `whsec_`; the message never contains the
 *   secret
 */
export function keyOfSecret(secret: string, name: string): Uint8Array {
  if (!secret.startsWith(prefix)) return new TextEncoder().encode(secret)
  const base64 = secret.slice(prefix.length)
  const key = Buffer.from(base64, 'base64')
  // Buffer ignores characters that are not base64.
  if (key.length > 0 && key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '')) return key
  throw invalidConfig(`${name} begins with "${prefix}", and no base64 follows. Set it to the whole secret.`)
}

/** The header `webhook-signature` of Standard Webhooks: HMAC-SHA256. @param content `<id>.<seconds>.<body>` */
export async function signature(key: Uint8Array, content: string): Promise<string> {
  const { createHmac } = await import('node:crypto')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
