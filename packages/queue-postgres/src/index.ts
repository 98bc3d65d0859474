export { type PostgresQueueOptions, postgresQueue } from './postgres-queue.ts'
