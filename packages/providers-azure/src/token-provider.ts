import { AgentKitError, isAgentKitError } from '@agentkit/core'
import { redactSecrets } from '@agentkit/core/internal'

/**
 * A token provider whose failure says what to do: there was no call, and so no answer to tell it from.
 * @param secrets is told each token, which no error may carry
 */
export function guardTokens(provider: () => Promise<string>, secrets: string[]): () => Promise<string> {
  return async () => {
    try {
      const token = await provider()
      if (!secrets.includes(token)) secrets.push(token)
      // Of old ones nobody speaks any more.
      if (secrets.length > mostTokens) secrets.shift()
      return token
    } catch (cause) {
      const words = cause instanceof Error ? redactSecrets(cause.message) : 'it failed.'
      throw new AgentKitError('auth', `azureADTokenProvider gave no token: ${words}`, { provider: 'azure', cause })
    }
  }
}

const mostTokens = 20

/** What `guardTokens` threw, which the SDK wraps in an error of its own. */
export function tokenFailure(error: unknown): AgentKitError | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return isAgentKitError(cause) ? cause : undefined
}
