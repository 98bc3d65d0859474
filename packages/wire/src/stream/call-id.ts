/** What SDKs and servers send in place of a missing id. */
const placeholders: ReadonlySet<unknown> = new Set(['', 'null', 'undefined'])

/** Whether a server has given a call an id. */
export function isCallId(id: unknown): id is string {
  return typeof id === 'string' && !placeholders.has(id)
}
