import { AgentKitError, isAgentKitError, redactSecrets } from '@agentkit/core'

/** A token provider whose failure says what to do: there was no call, and so no answer to tell it from. */
export function guardTokens(provider: () => Promise<string>): () => Promise<string> {
  return async () => {
    try {
      return await provider()
    } catch (cause) {
      const words = cause instanceof Error ? redactSecrets(cause.message) : 'it failed.'
      throw new AgentKitError('auth', `azureADTokenProvider gave no token: ${words}`, { provider: 'azure', cause })
    }
  }
}

/** What `guardTokens` threw, which the SDK wraps in an error of its own. */
export function tokenFailure(error: unknown): AgentKitError | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return isAgentKitError(cause) ? cause : undefined
}
