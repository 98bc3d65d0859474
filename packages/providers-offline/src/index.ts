export { type OfflineOptions, type OfflineProvider, offline } from './offline.ts'
