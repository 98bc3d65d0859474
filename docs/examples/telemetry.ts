import { startTelemetry } from '@agentkit/telemetry'
import { Agent } from 'agentkit'

const telemetry = startTelemetry()
const agent = new Agent({ name: 'Clerk', model: 'openai/gpt-5.4-mini', functions: [] })
console.log(await agent.chat('Hello'))
await telemetry.close()
