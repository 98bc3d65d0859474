import type { AgentKitError, RunNotice } from '@agentkit/core'
import { invalidConfig } from '@agentkit/core/internal'
import type { WebhooksTable } from '../config/config-keys.ts'
import { keyOfSecret } from './signature.ts'
import { webhook } from './webhook.ts'

/**
 * The function that delivers notices of runs to the webhook of the table `[webhooks]`.
 *
 * @returns `undefined` if the table has no `url`
 * @throws AgentKitError `invalid-config` for an address that is not http(s) or has a password, and for a secret that is
 *   not set; the message contains neither
 */
export function configuredWebhook({
  url,
  secret_env,
}: WebhooksTable): ((notice: RunNotice) => Promise<void>) | undefined {
  if (url === undefined) return undefined
  const target = URL.parse(url)
  if (target?.protocol !== 'https:' && target?.protocol !== 'http:') {
    throw invalid('`url` is not an address that begins with https:// or http://')
  }
  if (target.username !== '' || target.password !== '') {
    throw invalid('`url` has a user or a password. Remove it: receivers check the signature instead')
  }
  if (secret_env === undefined) {
    throw invalid('`secret_env` is missing. Set it to the name of the variable that holds the secret')
  }
  const name = variableName(secret_env)
  const secret = process.env[secret_env]?.trim() ?? ''
  if (secret === '') throw invalid(`${name}, which \`secret_env\` names, is not set. Set it to the secret`)
  return webhook({ url: target, key: keyOfSecret(secret, name) })
}

/** `secret_env` may hold a secret by mistake, which must not be printed. */
function variableName(variable: string): string {
  return /^[A-Z][A-Z0-9_]*$/.test(variable) ? `The environment variable ${variable}` : 'The environment variable'
}

function invalid(problem: string): AgentKitError {
  return invalidConfig(`[webhooks]: ${problem}.`)
}
