// The package import `#parse-worker`: what runs in the processes of `createParsePool`.
import * as nodeModule from 'node:module'
import type { WorkerStart } from './worker-env.ts'

const { compileCache } = JSON.parse(process.argv[2] ?? '') as WorkerStart // by `forkWorker`
if (compileCache !== undefined) nodeModule.enableCompileCache(compileCache)
// Only what is imported from here on comes from the cache.
const { answerRequests } = await import('./answer-requests.ts')
const { loadParser } = await import('../parsers.ts')
answerRequests(loadParser)
