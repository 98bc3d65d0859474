import type { JSONValue } from '@agentkit/core'
import type { FakeTurn, FakeWire } from '../../fake-provider/wires/script.ts'

/** What a server really sent once, frame by frame, and what must become of it. */
export type Quirk = {
  /** With its number in `docs/quirks.md`. */
  name: string
  wires: readonly FakeWire[]
  turn: FakeTurn
  /** Where the model that reasons is meant. */
  reasons?: true
  expected: {
    text?: string
    /** The text of the message at the end, where it is not what the deltas said. */
    kept?: string
    reasoning?: string
    /** Names and inputs, in order. */
    calls?: [name: string, input: JSONValue | undefined][]
    reason?: string
    usage?: object
    /** Fields of the error; without it there is none. */
    error?: object
    warning?: RegExp
    /** What the message must hold somewhere: data that only its model reads. */
    holds?: string
  }
}

/** For `toMatchObject`: any value that holds this text, wherever it stands. */
export function holding(part: string): { asymmetricMatch(value: unknown): boolean } {
  return {
    asymmetricMatch: (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).includes(part),
  }
}
