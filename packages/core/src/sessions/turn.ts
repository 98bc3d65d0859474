import type { MemberRunEntry } from '../contracts/background-runs.ts'
import type { RunEnding, StartedCall } from '../contracts/run-entry.ts'
import type { SessionStore } from '../contracts/session-store.ts'
import type { Approval, Decisions } from '../data/approval-data.ts'
import type { AgentKitError } from '../data/errors.ts'
import type { AgentEvent } from '../data/event.ts'
import type { JSONValue, Message } from '../data/message.ts'
import type { OnBusy } from '../data/on-busy.ts'
import type { SessionKey } from '../data/session-data.ts'
import type { Usage } from '../data/usage.ts'
import type { EndOfTree } from './end-event.ts'
import type { EventQueue } from './event-queue.ts'
import type { SuspendedChange } from './watch-suspended.ts'

/** A turn, by what implements it: its fields change while the run lasts. */
export type Changing<Turn extends OpenTurn> = { -readonly [Key in keyof Turn]: Turn[Key] }

/** A run's turn in its session, from `begin` to `end`. */
export type OpenTurn = {
  /** The conversation before this run, as a model may see it. */
  readonly history: readonly Message[]
  /** The state of the session, as it was loaded or appended last. */
  readonly state: JSONValue | undefined
  /**
   * False when other runs of the session began after this one, which was suspended: the model sees them before it, unlike
   * later runs, so a compaction that it makes is not that of the session.
   */
  readonly isLast?: boolean
  /** When the run must have ended, in milliseconds since 1970, as it is stored. */
  readonly deadline?: number | undefined
  /** @param run the snapshot and the usage of the run at any time: they are stored with each step */
  describe?(run: DescribedRun): void
  /**
   * @param state the whole new state of the session; absent, it stays
   * @returns `undefined` where nothing is stored
   */
  append(messages: Message[], state?: JSONValue): Promise<void> | undefined
  /**
   * Stores a reply of the model with what is stored next, such as the beginning of its calls or the end of the run, or alone
   * once the event loop has nothing else to do. Absent where it is appended.
   */
  addReply?(reply: Message): void
  /** Stores that tool calls begin, before they do. Absent where nothing is stored of them. */
  begin?(calls: readonly Omit<StartedCall, 'startedAt'>[]): Promise<void>
  /**
   * Called before each call of a model or a tool. Absent where no other process can have the run.
   * @throws AgentKitError `session-conflict` for a run that another process has by now
   */
  confirm?(): Promise<void> | undefined
  /**
   * Stores the run as suspended, with the snapshot that resumes it, and releases the session.
   * @param messages all messages of the run so far; a run without a session is first stored now
   * @param approvals all that are open
   * @param events that are stored with it, where the run keeps its events
   * @returns the decisions on them that are stored already, if there are any
   */
  suspend(
    snapshot: JSONValue,
    usage: Usage,
    messages: readonly Message[],
    approvals: readonly Approval[],
    events?: readonly AgentEvent[],
  ): Promise<Decisions | undefined>
  /**
   * Resumes the suspended run once the session is free; `history` and `state` are then up to date.
   * @returns whether other runs began or ended meanwhile, which may have changed `history`, and the stored decisions
   * @throws AgentKitError `session-conflict` when it was resumed elsewhere, `not-found` when it is gone
   */
  resume(signal: AbortSignal): Promise<{ hasMoved: boolean; decisions?: Decisions }>
  /** Stores decisions on the suspended run, where they are stored: the first on an approval wins. */
  decide?(decisions: Decisions): Promise<void>
  /** Follows the suspended run in its store. @returns stops it */
  watch?(listener: (change: SuspendedChange) => void): () => void
  /** Ends the suspended run. Absent where it is resumed to end it. */
  cancel?(): Promise<void>
  end(status: 'done' | 'failed', usage: Usage, ending?: TurnEnding): Promise<void>
  /**
   * Releases the run, which another process may then continue. Absent where none can.
   * @param isBetweenSteps whether no model call and no tool was cut off
   */
  handBack?(isBetweenSteps: boolean): Promise<void>
  /**
   * Leaves the run to the runs of its members, which are created where they are new. Absent where members have none.
   */
  delegate?(members: readonly MemberRunEntry[]): Promise<void>
  /** Stores the events that wait. Never rejects. */
  flush?(): Promise<void>
  /** Lets the next run of this session begin: after `end`, or instead of it when the store fails. */
  release(): void
}

/** `seq`: the number of its last event. */
export type DescribedRun = { snapshot(): JSONValue; usage(): Usage; seq(): number }

/** What is stored when a run ends. */
export type TurnEnding = Partial<Omit<RunEnding, 'status'>> & {
  messages?: Message[]
  events?: readonly AgentEvent[]
  /** The answer in the form of the agent's `output`. */
  output?: JSONValue
}

/** What every turn of a run is opened with. */
export type SessionAccess = {
  store: SessionStore
  agentId: string
  runId: string
  signal: AbortSignal
  onBusy: OnBusy
  /** How long approvals can be decided, in milliseconds. */
  approvalMs: number
  /** Called when a later run ends this one, while it holds its session or waits for it. */
  interrupt(reason: AgentKitError): void
  /** Called when the run waits for others of its session. @returns called when it no longer does */
  waits?: (() => () => void) | undefined
  /** How a run ends that this one interrupts, or whose calls of client tools it settles. */
  endOfTree?: EndOfTree
}

/** What the turn of a new run is opened with. */
export type NewTurn = SessionAccess & {
  userId: string
  /** Absent: nothing is stored, unless the run is suspended. */
  key: SessionKey | undefined
  input: Message
  /** Seeds a session that has no history. */
  seed: readonly Message[]
  /** A run of the session that this one replaces. */
  replaces?: string | undefined
  /** Whether another process continues the run after a crash, for which these are stored. */
  isResumable?: boolean
  keepsEvents?: boolean
  /** The events that it keeps. */
  events?: EventQueue | undefined
  /** In milliseconds since 1970. */
  deadline?: number | undefined
  options?: JSONValue | undefined
  /** The version of the agent. */
  agentVersion?: string | undefined
  /** Whether notices of its end, and of its waiting, are kept. */
  notifies?: boolean | undefined
  /** Whether earlier runs of the session may wait for results of the client. */
  settles?: boolean
}
