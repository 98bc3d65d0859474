import type { SessionInfo, SessionKey, SessionStore } from '@agentkit/core'

const pageSize = 1_000

/** A session as lists have it. @returns `undefined` for an unknown one */
export async function findSession(store: SessionStore, key: SessionKey): Promise<SessionInfo | undefined> {
  for (let before: string | undefined; ; ) {
    const page = await store.list(key, { limit: pageSize, ...(before !== undefined && { before }) })
    const found = page.find(({ sessionId }) => sessionId === key.sessionId)
    if (found || page.length < pageSize) return found
    before = page.at(-1)?.sessionId
  }
}
