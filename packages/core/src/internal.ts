// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.
export { agentIdFrom } from './agents/agent-id.ts'
export { abortError, assertNever, invalidArgument, messageOf, toErrorInfo } from './data/errors.ts'
export { isRecord } from './data/message-problem.ts'
export { jsonSchemaValidator } from './schema/schema.ts'
export { sleep, untilAborted } from './util/abort.ts'
export { checkOptionNames, type Nearest } from './util/option-names.ts'
export { redactSecrets } from './util/redact.ts'
