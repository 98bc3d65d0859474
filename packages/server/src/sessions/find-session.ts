import type { SessionInfo, SessionKey, SessionStore } from '@agentkit/core'

/** Most callers have just used the session, which is then among the first. */
const pageSizes = { first: 50, next: 1_000 }

/** A session as lists have it. @returns `undefined` for an unknown one */
export async function findSession(store: SessionStore, key: SessionKey): Promise<SessionInfo | undefined> {
  let limit = pageSizes.first
  for (let before: string | undefined; ; limit = pageSizes.next) {
    const page = await store.list(key, { limit, ...(before !== undefined && { before }) })
    const found = page.find(({ sessionId }) => sessionId === key.sessionId)
    if (found || page.length < limit) return found
    before = page.at(-1)?.sessionId
  }
}
