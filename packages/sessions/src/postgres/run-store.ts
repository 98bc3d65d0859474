import {
  type AgentEvent,
  AgentKitError,
  checkSessionKey,
  type Decision,
  type OrphanedRun,
  type RunStatus,
  type RunStore,
  type StoredApproval,
} from '@agentkit/core'
import { alreadyDecided, hasEnded, unknownRun } from '../util/conflicts.ts'
import { jsonOrNull, parseStored, toJSON } from '../util/json.ts'
import type { Access, Writing } from './access.ts'
import { idempotentAnswers } from './answers.ts'
import { type Begun, beginRun } from './begin-run.ts'
import { endRuns, toEnding } from './end-runs.ts'
import { listRuns } from './list-runs.ts'
import { prune } from './prune.ts'
import { headOf, lockRun, type RunHead } from './rows.ts'
import { readStoredRun } from './run-rows.ts'
import { storeEntry } from './store-entry.ts'
import { takeOver } from './take-over.ts'
import { fromStored, toStored } from './text-form.ts'
import { noticeOf, prepareEntry } from './write-entry.ts'

/** The part of a Postgres store that lets runs outlive their process. */
export function postgresRunStore(access: Access): RunStore {
  const { holder, watchers, announcements, database, inOrder, write } = access
  const { query } = database

  return {
    get hearsOthers() {
      return announcements.isHearing
    },
    now: () => holder.now(),

    create(key, run) {
      const { runId, expectedVersion, input, replaces } = run
      return inOrder(runId, async () => {
        checkSessionKey(key)
        const columns = {
          agentId: run.agentId,
          isResumable: run.isResumable,
          keepsEvents: run.keepsEvents,
          notifies: run.notifies ?? false,
          deadline: run.deadline ?? null,
          agentVersion: run.agentVersion ?? null,
          options: jsonOrNull(run.options),
          progress: jsonOrNull(run.progress),
        }
        const bodies = input.map(toJSON)
        const toBegin = { key, runId, expectedVersion, input, bodies, replaces, mayBeginAgain: false, columns }
        holdBegun(access, runId, await write((writing) => beginRun(writing, toBegin)))
      })
    },

    takeOver: (runId, options) =>
      inOrder(runId, async () => {
        const outcome = await write((writing) => takeOver(writing, runId, options))
        if (outcome instanceof AgentKitError) throw outcome
        const inTree = outcome.stored.rootRunId !== undefined
        holder.hold(runId, { attempt: outcome.stored.attempt, count: outcome.count, inTree })
        return outcome.stored
      }),

    append(runId, entry) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, () => storeEntry(access, runId, prepared))
    },

    suspend(runId, entry) {
      const prepared = prepareEntry(entry)
      return inOrder(runId, async () => {
        const decisions = await storeEntry(access, runId, prepared, {
          after: (writing, isRepeated) => suspendRun(writing, runId, entry, isRepeated),
        })
        holder.letGo(runId, entry.attempt)
        return decisions
      })
    },

    decide: (runId, decisions, by) => write((writing) => decide(writing, runId, decisions, by)),

    end(runId, entry) {
      const prepared = prepareEntry(entry)
      const ending = toEnding(entry)
      return inOrder(runId, async () => {
        try {
          await storeEntry(access, runId, prepared, { ending })
          holder.letGo(runId, entry.attempt)
        } catch (error) {
          // What could not be stored is lost from now on, and resumed or settled as such.
          if (holder.held(runId)?.attempt === entry.attempt) holder.abandon(runId)
          throw error
        }
      })
    },

    cancel: (runId, ending) =>
      write(async (writing) => {
        const run = await lockRun(writing.query, holder, runId)
        if (!run) throw unknownRun(runId)
        if (run.status === 'done' || run.status === 'failed') {
          return writing.again && run.ended_at === writing.now
        }
        await endRuns(writing, [run.number], toEnding(ending))
        return true
      }),

    release: (runId, attempt) =>
      inOrder(runId, async () => {
        await storeEntry(access, runId, prepareEntry({ attempt }), {
          after: async ({ query }, isRepeated) => {
            if (!isRepeated) await query('UPDATE agentkit.runs SET holder = NULL WHERE run_id = $1', [toStored(runId)])
          },
        })
        holder.letGo(runId, attempt)
      }),

    read: (runId) => readStoredRun(query, runId),

    async list(owner, filter) {
      checkSessionKey(owner.userId === undefined ? {} : { userId: owner.userId })
      return listRuns(query, owner, filter)
    },

    async agents() {
      const rows = await query<{ agent_id: string }>(agentsText, [])
      return rows.map(({ agent_id }) => fromStored(agent_id))
    },

    async events(runId, after, limit) {
      const rows = await query<{ seq: number; body: string }>(eventsText, [toStored(runId), after, limit])
      return rows.map(({ seq, body }) => {
        const event = parseStored<AgentEvent>(body, runId, 'events')
        return event.seq === seq ? event : { ...event, seq }
      })
    },

    async eventRange(runId) {
      const [row] = await query<{ oldest: number | null; last: number }>(rangeText, [toStored(runId)])
      return !row || row.oldest === null ? undefined : { oldest: row.oldest, last: row.last }
    },

    watch(runId, listener) {
      const stop = watchers.watch(runId, listener)
      announcements.listen()
      return stop
    },

    async orphans(agentIds) {
      const rows = await query<RunHead & { agent_id: string }>(
        `${headOf(holder).replace('SELECT', 'SELECT agent_id,')} WHERE agent_id = ANY($1) AND ended_at IS NULL
          AND status = 'running' AND NOT is_background ORDER BY number`,
        [agentIds.map(toStored)],
      )
      const found = rows.filter((run) => run.holder === null || holder.isLost(run)).slice(0, 100)
      return found.map(
        (run): OrphanedRun => ({
          runId: fromStored(run.run_id),
          agentId: fromStored(run.agent_id),
          isLost: run.holder !== null,
          isResumable: run.is_resumable,
          takeovers: run.takeovers,
        }),
      )
    },

    async expired(agentIds, before) {
      const rows = await query<{ run_id: string }>(
        `SELECT run_id FROM agentkit.runs WHERE status = 'waiting' AND waiting_since < $2 AND agent_id = ANY($1)
          AND root IS NULL ORDER BY waiting_since LIMIT 100`,
        [agentIds.map(toStored), before],
      )
      return rows.map(({ run_id }) => fromStored(run_id))
    },

    prune: (rules) => prune(access, rules),

    async size() {
      const [row] = await query<{ bytes: number }>(
        `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
        [database.options.schema],
      )
      return row?.bytes ?? 0
    },

    answers: idempotentAnswers(access),
  }
}

/** @throws the refusal to begin */
export function holdBegun({ holder }: Access, runId: string, outcome: Begun | AgentKitError): void {
  if (outcome instanceof AgentKitError) throw outcome
  holder.hold(runId, outcome)
}

async function suspendRun(
  { query, now }: Writing,
  runId: string,
  { attempt, approvals }: { attempt: number; approvals: readonly StoredApproval[] },
  isRepeated: boolean,
): Promise<Record<string, Decision>> {
  const ids = approvals.map(({ approvalId }) => toStored(approvalId))
  const bodies = approvals.map(({ decision: _, decidedBy: _by, decidedAt: _at, ...approval }) => toJSON(approval))
  const rows = await query<{ approval_id: string; decision: string | null }>(addApprovalsText, [
    ...[toStored(runId), ids, bodies, attempt, now],
  ])
  if (!isRepeated) await query(suspendText, [toStored(runId), now])
  const decided = rows.filter(({ decision }) => decision !== null)
  return Object.fromEntries(
    // Filtered above.
    decided.map((row) => [
      fromStored(row.approval_id),
      parseStored<Decision>(row.decision as string, runId, 'decisions'),
    ]),
  )
}

const addApprovalsText = `INSERT INTO agentkit.approvals (run, approval_id, attempt, body, requested_at)
  SELECT number, a.id, $4::int, a.body, $5::bigint
    FROM agentkit.runs, unnest($2::text[], $3::text[]) AS a (id, body) WHERE run_id = $1
  ON CONFLICT (run, approval_id) DO UPDATE SET attempt = excluded.attempt, body = excluded.body
  RETURNING approval_id, decision`
/** With an open approval it waits; with none it is free. */
const openApprovals = `FROM agentkit.approvals AS a WHERE a.run = r.number AND decision IS NULL AND a.attempt = r.attempt`
const suspendText = `WITH run AS (UPDATE agentkit.runs AS r SET holds_session = false, holder = NULL,
      status = CASE WHEN EXISTS (SELECT 1 ${openApprovals}) THEN 'waiting' ELSE 'running' END,
      waiting_since = (SELECT min(requested_at) ${openApprovals})
    WHERE run_id = $1 RETURNING number, session, agent_id, status, attempt, finish_reason, error, notifies
  ), moved AS (UPDATE agentkit.sessions SET version = version + 1, updated_at = $2::bigint FROM run WHERE id = run.session)
  ${noticeOf('run', '$2::bigint')} AND status = 'waiting'`
const reopenText = `UPDATE agentkit.runs AS r SET is_resumable = true,
    status = CASE WHEN status = 'waiting' AND NOT EXISTS (SELECT 1 ${openApprovals}) THEN 'running' ELSE status END,
    waiting_since = CASE WHEN status = 'waiting' THEN (SELECT min(requested_at) ${openApprovals}) END
  WHERE number = $1 RETURNING status`

async function decide(
  { query, holder, now, again, touch }: Writing,
  runId: string,
  decisions: Readonly<Record<string, Decision>>,
  by: string | undefined,
): Promise<RunStatus> {
  const [run] = await query<RunHead>(`${headOf(holder)} WHERE run_id = $1 FOR NO KEY UPDATE`, [toStored(runId)])
  if (!run) throw unknownRun(runId)
  if (run.status === 'done' || run.status === 'failed') throw hasEnded(runId)
  for (const [approvalId, decision] of Object.entries(decisions)) {
    const [approval] = await query<{ decision: string | null; decided_at: number }>(
      'SELECT decision, decided_at FROM agentkit.approvals WHERE run = $1 AND approval_id = $2',
      [run.number, toStored(approvalId)],
    )
    if (!approval) {
      throw new AgentKitError('not-found', `The run ${runId} has no approval ${approvalId}.`, { runId })
    }
    if (approval.decision !== null && !(again && approval.decided_at === now)) {
      const earlier = parseStored<Decision>(approval.decision, runId, 'decisions')
      throw alreadyDecided(approvalId, earlier, approval.decided_at)
    }
    await query(
      'UPDATE agentkit.approvals SET decision = $3, decided_by = $4, decided_at = $5 WHERE run = $1 AND approval_id = $2',
      [run.number, toStored(approvalId), toJSON(decision), by === undefined ? null : toStored(by), now],
    )
  }
  touch(runId)
  // A decision is a promise to continue the run.
  const [row] = await query<{ status: RunStatus }>(reopenText, [run.number])
  return row?.status ?? run.status
}

const agentsText = 'SELECT DISTINCT agent_id FROM agentkit.runs ORDER BY agent_id LIMIT 1000'
/** Of a member's run its own events in the stream of the outermost run. */
const ofStream = `FROM agentkit.runs AS r JOIN agentkit.events AS e ON e.run = coalesce(r.root, r.number)
  AND (r.root IS NULL OR e.member = r.number) WHERE r.run_id = $1`
const eventsText = `SELECT e.seq, e.body ${ofStream} AND e.seq > $2 ORDER BY e.seq LIMIT $3`
const rangeText = `SELECT min(e.seq) AS oldest, max(e.seq) AS last ${ofStream}`
