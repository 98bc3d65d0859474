import { AgentKitError } from '@agentkit/core'
import type { PgBoss } from 'pg-boss'
import { openBoss } from './open-boss.ts'
import { retrying, toStorageError } from './storage-error.ts'

/** The connections of a queue, by pg-boss, which the first call starts. */
export class QueueDatabase {
  readonly #connectionString: string
  readonly #clock: Parameters<typeof openBoss>[1]
  #opening: Promise<PgBoss> | undefined
  #isOpened = false
  #isClosed = false

  constructor(connectionString: string, clock: Parameters<typeof openBoss>[1]) {
    this.#connectionString = connectionString
    this.#clock = clock
  }

  /** @throws AgentKitError `storage` after `close` */
  requireOpen(): void {
    if (!this.#isClosed) return
    throw new AgentKitError('storage', 'The queue is closed. Make a new one with postgresQueue(url).')
  }

  async open(): Promise<PgBoss> {
    this.requireOpen()
    this.#opening ??= openBoss(this.#connectionString, this.#clock).catch((error) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  /** @param work may be done again, when the connection is lost before its answer comes */
  async call<T>(work: (boss: PgBoss) => Promise<T>): Promise<T> {
    const openAndWork = async (): Promise<T> => {
      const boss = await this.open()
      this.#isOpened = true
      return work(boss)
    }
    try {
      return await retrying(openAndWork, { isFirst: !this.#isOpened })
    } catch (error) {
      throw toStorageError(error, this.#connectionString)
    }
  }

  query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.call(async (boss) => (await boss.getDb().executeSql(text, values)).rows)
  }

  /** @param others what else is closed before pg-boss stops */
  async close(others: Promise<void> | undefined): Promise<void> {
    this.#isClosed = true
    const [boss] = await Promise.all([this.#opening?.catch(() => undefined), others])
    await boss?.stop({ graceful: false })
  }
}
