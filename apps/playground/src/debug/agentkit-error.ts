/** The error of `parseCassette` in the page, which shows its sentence only: that of `@agentkit/core` would take 0.5 KB. */
export class AgentKitError extends Error {
  constructor(_code: string, message: string) {
    super(message)
  }
}
