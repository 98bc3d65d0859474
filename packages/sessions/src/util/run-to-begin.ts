import type { Message, SessionKey } from '@agentkit/core'

/** A run that is to begin in its session. @template Flag how the store writes a boolean */
export type RunToBegin<Flag> = {
  key: SessionKey
  runId: string
  expectedVersion: number
  input: readonly Message[]
  bodies: readonly string[]
  replaces?: string | undefined
  /** Whether a suspended run with this id begins again. */
  mayBeginAgain: boolean
  columns: RunColumns<Flag>
}

/** The columns of a run that `create` fills, and for which `begin` has no values. */
type RunColumns<Flag> = {
  agentId: string
  isResumable: Flag
  keepsEvents: Flag
  notifies: Flag
  deadline: number | null
  agentVersion: string | null
  options: string | null
  progress: string | null
}
