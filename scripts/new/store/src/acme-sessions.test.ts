import { sessionStoreContract } from '@agentkit/testing/vitest'
import { acmeSessions } from './acme-sessions.ts'

// `durableSessionStoreContract`, once the data outlives the store.
sessionStoreContract('acmeSessions', async () => ({ store: acmeSessions() }))
