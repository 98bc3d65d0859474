// The package import `#parse-worker`: what runs in the threads of `createParsePool`.
import { parentPort } from 'node:worker_threads'
import { answerRequests } from './answer-requests.ts'
import { loadParser } from './parsers.ts'

if (parentPort !== null) answerRequests(parentPort, loadParser)
