import type { Client, ClientConfig } from 'pg'
import type { Watchers } from '../../util/watchers.ts'
import type { Database } from './database.ts'
import { loadPg } from './load-pg.ts'

/** Between the processes of a database: which runs have changed. */
export interface Announcements {
  /** Whether what other processes report arrives, now. */
  readonly isReceiving: boolean
  /** Reports a run that this process has changed, within 20 ms and outside of any transaction. */
  announce(runId: string): void
  /** Receives what other processes report while this one watches runs. */
  listen(): void
  close(): Promise<void>
}

/** How long messages are collected, in milliseconds: each costs a lock that is shared by the whole Postgres server. */
const collectMs = 20
/** Postgres accepts less than 8,000 bytes. */
const maxBytes = 7_000
/** How often the connection that listens is checked, and how long an answer may take. */
const usualCheckMs = 5_000
/** How often readers are called where no message arrives. */
const pollMs = 500

export function openAnnouncements(
  database: Database,
  watchers: Watchers,
  { checkMs = usualCheckMs }: { checkMs?: number } = {},
): Announcements {
  const { schema, connectionString } = database.options
  const self = crypto.randomUUID().slice(0, 8)
  const changed = new Set<string>()
  let sending: NodeJS.Timeout | undefined
  let listener: Client | undefined
  let isConnecting = false
  let isClosed = false
  let receivedAt = 0
  let hasReceived = false
  let check: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  let failures = 0

  const send = async (): Promise<void> => {
    sending = undefined
    const payloads = inParts(self, changed)
    changed.clear()
    for (const payload of payloads) await database.query('SELECT pg_notify($1, $2)', [schema, payload])
  }

  const receive = (payload: string | undefined): void => {
    receivedAt = performance.now()
    hasReceived = true
    const [sender, ...runIds] = (payload ?? '').split('\n')
    stopPolling()
    if (sender === self) return
    for (const runId of runIds) watchers.notify(runId)
  }

  const connect = async (): Promise<void> => {
    if (isConnecting || isClosed) return
    isConnecting = true
    let client: Client | undefined
    try {
      const pg = await loadPg()
      const config: ClientConfig = {
        connectionString,
        keepAlive: true,
        query_timeout: 10 * checkMs,
        application_name: 'agentkit listener',
      }
      const opened = new pg.Client({ ...config, connectionTimeoutMillis: usualCheckMs })
      client = opened
      client.on('error', () => lose(opened))
      client.on('end', () => lose(opened))
      client.on('notification', ({ payload }) => receive(payload))
      await client.connect()
      // The connection does not keep the process alive.
      unref(client)
      await client.query(`LISTEN "${schema}"`)
      // The last reader has left while the connection was opened.
      if (!check) return void (await client.end())
      listener = client
      receivedAt = performance.now()
      hasReceived = false
      // Writes in the meantime were not announced.
      watchers.notifyAll()
      await ping()
    } catch {
      if (client && client !== listener) client.end().catch(() => {})
      failures++
      if (check) startPolling()
    } finally {
      isConnecting = false
    }
  }

  const lose = (client: Client): void => {
    if (listener !== client) return
    listener = undefined
    client.end().catch(() => {})
    if (!isClosed && watchers.isWatched()) void connect()
  }

  /** Sent over another connection: it arrives only where messages are passed on, and over an open connection. */
  const ping = (): Promise<unknown> => database.query('SELECT pg_notify($1, $2)', [schema, self])

  const checkConnection = (): void => {
    if (!watchers.isWatched()) {
      rest()
      return
    }
    const silence = performance.now() - receivedAt
    if (listener && silence > 2 * checkMs) {
      failures++
      startPolling()
      // Messages may never arrive here, or the connection is half open: another one shows.
      if (failures < 3) lose(listener)
    }
    if (!listener) void connect()
    else ping().catch(() => {})
  }

  const startPolling = (): void => {
    if (failures === 3) warn(database)
    poll ??= setInterval(() => watchers.notifyAll(), pollMs).unref()
  }
  const stopPolling = (): void => {
    failures = 0
    clearInterval(poll)
    poll = undefined
  }
  const rest = (): void => {
    clearInterval(check)
    check = undefined
    stopPolling()
    const unused = listener
    listener = undefined
    unused?.end().catch(() => {})
  }

  return {
    get isReceiving() {
      return listener !== undefined && hasReceived && poll === undefined
    },
    announce(runId) {
      changed.add(runId)
      // A lost message is found by the next read of its reader, at the latest when its connection is checked.
      sending ??= setTimeout(() => void send().catch(() => {}), collectMs)
    },
    listen() {
      if (check || isClosed) return
      check = setInterval(checkConnection, checkMs).unref()
      void connect()
    },
    async close() {
      isClosed = true
      if (sending) {
        clearTimeout(sending)
        await send().catch(() => {})
      }
      rest()
    },
  }
}

let hasWarned = false

function warn({ place }: Database): void {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning(
    `Notifications (LISTEN) of Postgres at ${place} do not arrive, as behind a pooler of transactions: runs of other ` +
      'processes are read twice a second instead. Use a direct connection or a pooler of sessions.',
    'AgentKitWarning',
  )
}

/** Ids that are too long for a message are left out: their readers poll. */
function inParts(self: string, runIds: Iterable<string>): string[] {
  const payloads: string[] = []
  let payload = self
  for (const runId of runIds) {
    if (Buffer.byteLength(payload) + Buffer.byteLength(runId) >= maxBytes) {
      if (payload !== self) payloads.push(payload)
      payload = self
    }
    if (Buffer.byteLength(runId) < maxBytes - self.length) payload += `\n${runId}`
  }
  return payload === self ? payloads : [...payloads, payload]
}

function unref(client: Client): void {
  // The cast holds: the driver has `unref`, its types do not.
  const { unref } = client as Client & { unref?: () => void }
  unref?.call(client)
}
