/** Whether an unknown value has fields to look at: lists and `null` are objects too, and no records. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a text says as JSON; `undefined` where it is none. */
export function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
