import type { JSONValue } from '@agentkit/core'
import type { FakeTurn, FakeWire } from '../../fake-provider/wires/script.ts'

/** An answer that a server really sent, frame by frame, and its expected outcome. */
export type Quirk = {
  /** With its number in `docs/quirks.md`. */
  name: string
  wires: readonly FakeWire[]
  turn: FakeTurn
  /** Whether to call the model that reasons. */
  reasons?: true
  expected: {
    text?: string
    /** The text of the final message, where it differs from the deltas. */
    kept?: string
    reasoning?: string
    /** Names and inputs, in order. */
    calls?: [name: string, input: JSONValue | undefined][]
    reason?: string
    usage?: object
    /** Fields of the error; no error when absent. */
    error?: object
    warning?: RegExp
    /** A text that the message must contain: data that only its model reads. */
    holds?: string
  }
}

/** For `toMatchObject`: any value that contains this text, at any place. */
export function holding(part: string): { asymmetricMatch(value: unknown): boolean } {
  return {
    asymmetricMatch: (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).includes(part),
  }
}
