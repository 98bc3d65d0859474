import { sqliteSessions } from '@agentkit/sessions'

const sessions = sqliteSessions('agentkit-data/notes.db')
const owner = { agentId: 'notes', userId: 'kim' }

await sessions.rename({ ...owner, sessionId: 'pets' }, 'All my pets')
let before: string | undefined
do {
  const page = await sessions.list(owner, { q: 'ada', limit: 20, ...(before && { before }) })
  for (const { sessionId, title, updatedAt } of page) console.log(sessionId, title, updatedAt)
  before = page.at(-1)?.sessionId
} while (before)
await sessions.close()
