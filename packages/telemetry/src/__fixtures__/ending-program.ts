import { once } from 'node:events'
import { Agent } from '@agentkit/core'
import { scriptedModel } from '@agentkit/testing'
import { startTelemetry } from '../start-telemetry.ts'

// A program that ends while its telemetry is exported: the process that has forked it says when.
startTelemetry()
const received = once(process, 'message')
await new Agent({ name: 'Clerk', functions: [], model: scriptedModel(['Hello.']) }).chat('A question')
await received
process.disconnect()
