// For the commands of agentkit, not for users: this entry follows no semver and may change in any release.

export { readCases } from './cases/read-cases.ts'
export type { EvalReport } from './data/eval-report.ts'
export { reportLines } from './report/report-lines.ts'
export { reportPieces } from './report/report-pieces.ts'
export { writeHtml } from './report/write-html.ts'
export { writeJunit } from './report/write-junit.ts'
export type { EvaluateOptions } from './run/eval-options.ts'
export { type EvalProgress, type EvalRun, runEval } from './run/run-eval.ts'
