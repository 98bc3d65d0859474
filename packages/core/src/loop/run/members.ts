import type { BackgroundRuns, MemberRunEntry } from '../../contracts/background-runs.ts'
import type { RunStore, StoredRun } from '../../contracts/run-store.ts'
import type { SessionStore } from '../../contracts/session-store.ts'
import type { Decisions } from '../../data/approval-data.ts'
import type { AgentKitError } from '../../data/errors.ts'
import type { MemberRun } from '../../runs/driver/member-run.ts'
import type { SuspendedMember } from '../../runs/snapshot.ts'

/** What a run keeps about the members that it calls. */
export type Members = {
  /** The ids of the agents from the outermost in, joined by `/`: the prefix of its members' sessions. */
  memberPath: string
  store: SessionStore
  suspended: Map<string, SuspendedMember>
  /** Decisions for suspended members that are being resumed, by the id of the call. */
  decided: Map<string, Decisions>
  /** Errors of members, by the id of the call. */
  failures: Map<string, AgentKitError>
  handedTo: string | undefined
  /** A summary of the conversation for members, made once per run. */
  summary: Promise<string> | undefined
}

/** How a background run calls members: as runs of their own, which any worker takes. */
export type Delegates = {
  runs: RunStore
  background: BackgroundRuns
  /** The run itself, as it was taken over. */
  stored: StoredRun
  rootRunId: string
  /** Of a run that is a member's itself. */
  member: MemberRun | undefined
  /** The stored runs of the members that the current step has called, by the call. */
  known: Map<string, StoredRun>
  /** Calls of this step whose members are to run. */
  called: Map<string, CalledMember>
}

/** A member's run that is to begin, or to continue with decisions on what it waits for. */
export type CalledMember = { entry: MemberRunEntry; decisions?: Decisions | undefined }
