import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  AgentKitError,
  type Message,
  type RunRecord,
  type SessionStore,
  type StoredRun,
  type Turn,
  visibleMessages,
} from '@agentkit/core'
import { makeFolder, redactSecrets, systemCode } from '@agentkit/core/internal'
import { importEvals } from '../util/import-optional.ts'
import { print, printError } from './common/print.ts'
import { UsageError } from './common/usage-error.ts'
import { type StoreOptions, withStores } from './open-stores.ts'

const noAnswer = 'It has no answer: add what is `expected` to the line, if a scorer needs it.'

/** Files are not text, and a call and its result are joined by their ids. */
const keptAsIs = new Set(['base64', 'callId', 'name'])

/** Turns of a session before the run that become the history of its case. */
const mostTurns = 1_000

/**
 * `agentkit eval add <runId> --to cases.jsonl`: appends the question of a stored run, its answer as what is expected, and
 * the conversation before it, without secrets.
 *
 * @throws UsageError for a file that is no .jsonl, and as `withStores`; AgentKitError `storage` for one that cannot be written
 */
export async function addCase(
  runId: string,
  file: string | undefined,
  { to, ...options }: StoreOptions & { to: string },
): Promise<void> {
  if (!/\.(?:jsonl|ndjson)$/i.test(to)) throw new UsageError(`--to is a .jsonl file of cases, not "${to}".`)
  const { readCases } = await importEvals()
  const isEmpty = inFile(to, () => !existsSync(to) || readFileSync(to).every((byte) => byte <= 0x20))
  const existing = isEmpty ? [] : await readCases(to)
  await withStores(file, options, async (stores) => {
    for (const { runs, sessions } of stores) {
      const stored = await runs.read(runId)
      const turn = stored && (await sessions.find(runId))
      const question = turn?.messages.find(({ role }) => role === 'user')
      if (!stored) continue
      if (!question) return fail(withoutQuestion(stored.record))
      if (existing.some(({ id }) => id === runId)) return fail(`${to} has the run ${runId} already.`)
      const { text } = stored.record
      const history = await historyBefore(stored, sessions)
      const added = {
        id: runId,
        input: question.content,
        ...(text !== undefined && text !== '' && { expected: text }),
        ...(history.length > 0 && { history }),
      }
      inFile(to, () => {
        makeFolder(dirname(to))
        appendFileSync(to, `${endsLine(to) ? '' : '\n'}${JSON.stringify(added, withoutSecrets)}\n`)
      })
      const note = added.expected ? 'Its answer is what the case expects: correct it where it is wrong.' : noAnswer
      print(`Added the run ${runId} to ${to}. ${note}`)
      return
    }
    const names = [...new Set(stores.map(({ name }) => name))].join(', ')
    fail(`There is no run "${runId.slice(0, 200)}" in ${names}. List them: agentkit runs list`)
  })
}

function withoutQuestion({ runId, status }: RunRecord): string {
  if (status !== 'queued') return `The run "${runId}" has no messages in its store: it ended before its first step.`
  return `The run "${runId}" is queued: it has no messages yet. Add it once it has ended.`
}

/** A file of cases is committed, unlike the store that the run is from. */
function withoutSecrets(key: string, value: unknown): unknown {
  return typeof value === 'string' && !keptAsIs.has(key) ? redactSecrets(value) : value
}

/** The turns of a session, the oldest first, are read until its run comes. */
async function historyBefore({ record, key }: StoredRun, sessions: SessionStore): Promise<Message[]> {
  const before: Turn[] = []
  let after: string | undefined
  while (record.sessionId !== undefined) {
    const page = await sessions.turns(key, { limit: mostTurns, ...(after !== undefined && { after }) })
    const place = page.findIndex((turn) => turn.runId === record.runId)
    before.push(...page.slice(0, place === -1 ? page.length : place))
    before.splice(0, before.length - mostTurns)
    if (place !== -1) return before.flatMap(visibleMessages)
    after = page.at(-1)?.runId
    if (after === undefined) break
  }
  return []
}

function inFile<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw new AgentKitError('storage', `${path} cannot be written: ${systemCode(cause)}.`, { cause })
  }
}

function endsLine(path: string): boolean {
  if (!existsSync(path)) return true
  const bytes = readFileSync(path)
  return bytes.length === 0 || bytes.at(-1) === 0x0a
}

function fail(message: string): void {
  printError(message)
  process.exitCode = 1
}
