// Opens a session database, prints "opened", and closes it.
// node open-store.ts <path>
import { sqliteSessions } from '@agentkit/sessions'

// The line about the copy would be in the output of the tests.
console.warn = () => {}

const store = sqliteSessions(process.argv[2] ?? '')
await store.load({ agentId: 'helper', userId: 'ann', sessionId: 'done' })
console.log('opened')
await store.close()
