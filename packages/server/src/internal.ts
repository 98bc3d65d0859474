// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { answerBody } from './answer/encode-answer.ts'
export { problemBody, runProblem, thrownProblem } from './answer/problem.ts'
export { portProblem } from './listen.ts'
export { checkOptions } from './options.ts'
export { createLog } from './util/log.ts'
export { logRun } from './util/log-run.ts'
