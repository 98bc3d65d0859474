export { acmeSessions } from './acme-sessions.ts'
