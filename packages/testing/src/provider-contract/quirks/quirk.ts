import type { JSONValue } from '@agentkit/core'
import type { FakeTurn, FakeWire } from '../../fake-provider/wires/script.ts'

/** An answer that a real server has sent, frame by frame, and its expected outcome. */
export type Quirk = {
  /** With its number in `docs/quirks.md`. */
  name: string
  wires: readonly FakeWire[]
  turn: FakeTurn
  /** Whether to call the model that reasons. */
  reasons?: true
  expected: {
    text?: string
    /** The text of the final message, when it differs from the deltas. */
    kept?: string
    reasoning?: string
    /** Names and inputs, in order. */
    calls?: [name: string, input: JSONValue | undefined][]
    reason?: string
    usage?: object
    /** Fields of the error; no error when absent. */
    error?: object
    warning?: RegExp
    /** A text that the message must contain: provider data. */
    holds?: string
  }
}

/** For `toMatchObject`: any value that contains this text, at any depth. */
export function holding(part: string): { asymmetricMatch(value: unknown): boolean } {
  return {
    asymmetricMatch: (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).includes(part),
  }
}
