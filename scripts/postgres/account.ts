import { readFile } from 'node:fs/promises'

export type Account = { uid: number; gid: number }

/**
 * The account that runs Postgres, which refuses to run as root: `nobody`, which every system has.
 * @returns `undefined`: the user of this process
 */
export async function accountForPostgres(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const accounts = await readFile('/etc/passwd', 'utf8')
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(accounts) ?? []
  if (uid === undefined) throw new Error('Postgres does not run as root. Run the tests as another user.')
  return { uid: Number(uid), gid: Number(gid) }
}
