import { type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Account, accountForPostgres } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { removeWithProcess } from './remove-with-process.ts'

/** Settings with the names of postgresql.conf. */
export type PostgresSettings = Readonly<Record<string, string | number>>

export interface PostgresServer {
  readonly port: number
  readonly password: string
  /** The URL of a database for the superuser `postgres`. */
  url(database?: string): string
  /** @returns the URL of a new, empty database */
  createDatabase(): Promise<string>
  /** `fast` ends every session, `immediate` is a crash; both return when it has ended. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Returns when it accepts connections. */
  start(): Promise<void>
  restart(mode: 'fast' | 'immediate'): Promise<void>
  /**
   * A standby that follows this server, from a copy of its files: this one is restarted. From then on a commit waits for
   * the replica.
   */
  startReplica(): Promise<PostgresServer & { promote(): Promise<void> }>
  /** Stops it and removes its files. */
  remove(): Promise<void>
}

/** Settings for tests, not for production: tests need speed, and the machine does not crash. */
const settingsOfTests: PostgresSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_connections: 300,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_timezone: 'UTC',
}

/** Creates and starts a server of its own on a free port of loopback, in a temporary folder, as any user. */
export async function startPostgres(settings: PostgresSettings = {}): Promise<PostgresServer> {
  const account = await accountForPostgres()
  const folder = await mkdtemp(join(tmpdir(), 'agentkit-postgres-'))
  removeWithProcess(folder)
  if (account) await chown(folder, account.uid, account.gid)
  await chmod(folder, 0o700)
  const binaries = await findBinaries(folder, account)
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password)
  if (account) await chown(passwordFile, account.uid, account.gid)
  const data = join(folder, 'data')
  const access = ['-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const form = ['-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
  await run(binaries.initdb, ['-D', data, ...access, ...form], account)
  await configure(data, { ...settingsOfTests, ...settings })
  const server = serverAt({ folder, data, password, binaries, account })
  await server.start()
  return server
}

type Place = { folder: string; data: string; password: string; binaries: Binaries; account: Account | undefined }

function serverAt(place: Place): PostgresServer {
  const { folder, data, password, binaries, account } = place
  let port = 0
  const control = (...args: string[]): Promise<void> => run(binaries.pg_ctl, [...args, '-D', data, '-w', '-s'], account)
  const url = (database = 'postgres'): string => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`

  const server: PostgresServer = {
    get port() {
      return port
    },
    password,
    url,

    async createDatabase() {
      const name = `test_${randomBytes(6).toString('hex')}`
      await query(url(), `CREATE DATABASE ${name}`)
      return url(name)
    },

    stop: (mode) => control('stop', '-m', mode),

    async start() {
      const log = ['-l', join(folder, 'log')]
      // A port may be taken between the check and the start. Later starts keep the port, which clients know.
      for (let tries = port === 0 ? 5 : 1; ; tries--) {
        const candidate = port || (await freePort())
        try {
          await control('start', ...log, '-o', `-p ${candidate}`)
          port = candidate
          return
        } catch (cause) {
          if (tries > 1) continue
          const reason = await readFile(join(folder, 'log'), 'utf8').catch(() => '')
          throw new Error(`Postgres does not start:\n${reason.slice(-2_000)}`, { cause })
        }
      }
    },

    async restart(mode) {
      await server.stop(mode)
      await server.start()
    },

    async startReplica() {
      const copy = join(folder, `replica-${randomBytes(4).toString('hex')}`)
      await server.stop('fast')
      // `cp` of the account that owns the files, so that the copies are its own.
      await run('cp', ['-R', data, copy], account)
      const primary = `host=127.0.0.1 port=${port} user=postgres password=${password}`
      await configure(copy, { primary_conninfo: primary })
      await run('touch', [join(copy, 'standby.signal')], account)
      const replica = serverAt({ ...place, data: copy })
      await server.start()
      await replica.start()
      await query(url(), "ALTER SYSTEM SET synchronous_standby_names = '*'")
      await query(url(), 'SELECT pg_reload_conf()')
      return Object.assign(replica, {
        promote: () => run(binaries.pg_ctl, ['promote', '-D', copy, '-w', '-s'], account),
      })
    },

    async remove() {
      await server.stop('immediate').catch(() => {}) // it may have ended
      await rm(folder, { recursive: true, force: true })
    },
  }
  return server
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

async function configure(data: string, settings: PostgresSettings): Promise<void> {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  await appendFile(join(data, 'postgresql.conf'), lines.join(''))
}

/** Below the ports that systems give to clients, so that a stopped server finds its port free again. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

async function run(command: string, args: readonly string[], account: Account | undefined): Promise<void> {
  // The started server keeps these streams, so a pipe would never end.
  const options: SpawnOptions = { stdio: ['ignore', 'ignore', 'ignore'], cwd: tmpdir(), ...account }
  const child = spawn(command, args, options)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}.`)
}
