// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { acceptPins } from './accept-pins.ts'
export { type ConnectedTools, connectServer, inspectServer, type ServerState } from './connect-server.ts'
export { forgetPins } from './lock-file.ts'
export { checkServer } from './options.ts'
