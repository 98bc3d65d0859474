// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { inspectOtlp } from './inspect-otlp.ts'
