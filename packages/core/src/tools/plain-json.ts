import { messageOf } from '../data/errors.ts'
import { toToolResult } from './tool-result.ts'

/** A value as the plain data that events carry. */
export function plainOf(value: unknown): unknown {
  if (typeof value !== 'object' && typeof value !== 'bigint') return value
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    // Circles, BigInts and getters that throw, in words.
    try {
      return toToolResult(value).output
    } catch (error) {
      return `[unreadable: ${messageOf(error)}]`
    }
  }
}
