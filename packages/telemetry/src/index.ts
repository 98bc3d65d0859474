export type { ConventionsVersion } from './conventions.ts'
export { startTelemetry, type Telemetry, type TelemetryOptions } from './start-telemetry.ts'
