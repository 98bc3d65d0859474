import type { AgentEvent } from '@agentkit/core'
import { readEvents } from '../api/read-events.ts'
import { addressOf, request } from '../api/request.ts'
import { sessionToken } from '../api/session-token.ts'
import { isContinuing } from '../run/view-of-turn.ts'
import { sessionId } from '../store/chat.ts'
import { readRun } from '../store/runs.ts'
import { callerQuery, info } from '../store/server.ts'
import type { ShownTurn } from '../store/turn.ts'
import { t } from '../text/t.ts'

/** A run as a file. */
export type Transcript = { version: 1; agent: string; events: AgentEvent[] }

/** The events that are kept come without a pause, in milliseconds. */
const silenceMs = 2_000

/** All events of a run that the server keeps. A run that waits has several ends. */
export async function readRunEvents(runId: string): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  const path = `api/v1/runs/${encodeURIComponent(runId)}/events`
  for (;;) {
    const last = events.at(-1)
    const headers = { accept: 'text/event-stream', ...(last && { 'last-event-id': String(last.seq) }) }
    const controller = new AbortController()
    const response = await request(path, { query: callerQuery(), headers, signal: controller.signal })
    if (response.status === 204) return events
    const run = await readRun(runId)
    const end = (): void => controller.abort()
    // The later events of a run that continues are missing.
    const isOpen = isContinuing(run)
    let silence: ReturnType<typeof setTimeout> | undefined
    const wait = (): void => {
      clearTimeout(silence)
      if (isOpen) silence = setTimeout(end, silenceMs)
    }
    wait()
    await readEvents(response, (event) => {
      events.push(event)
      wait()
      if (event.type === 'run-end' && (event.finishReason !== 'approval' || run.status === 'waiting')) end()
    }).catch((error) => {
      if (!controller.signal.aborted) throw error
    })
    clearTimeout(silence)
    if (controller.signal.aborted || events.length === 0) return events
  }
}

export async function transcriptOf(turn: ShownTurn): Promise<Transcript> {
  const events = turn.keepsEvents ? await readRunEvents(turn.view.runId) : turn.log
  return { version: 1, agent: info.value?.id ?? '', events }
}

export function markdownOf(turn: ShownTurn, answer: string): string {
  const { sources } = turn.view
  const list = sources.map(({ file, page, row }, index) => {
    const place = page ? t('sources.page', { page: String(page) }) : row ? t('sources.row', { row: String(row) }) : ''
    return `${index + 1}. ${file}${place && `, ${place}`}`
  })
  const end = list.length > 0 ? `\n\n## ${t('sources.title')}\n\n${list.join('\n')}` : ''
  return `# ${turn.question}\n\n${answer}${end}\n`
}

/** The question as a command of a shell. A token is named, and not written. */
export function curlOf(question: string): string {
  const chatData = JSON.stringify({ messages: [{ role: 'user', content: question }] })
  const lines = [
    `curl ${quoted(addressOf('api/v1/chat').href)}`,
    ...(sessionToken.value ? ['--header "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(callerQuery()).map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
    `--form-string ${quoted(`session_id=${sessionId.value}`)}`,
    `--form-string ${quoted(`chat_data=${chatData}`)}`,
  ]
  return lines.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function typescriptOf(question: string): string {
  const body = { ...callerQuery(), session_id: sessionId.value, messages: [{ role: 'user', content: question }] }
  const token = sessionToken.value ? "\n    authorization: 'Bearer ' + process.env.TOKEN," : ''
  return `const response = await fetch(${JSON.stringify(addressOf('api/v1/chat').href)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json',${token}
  },
  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),
})
const { answer } = await response.json()
console.log(answer)
`
}
