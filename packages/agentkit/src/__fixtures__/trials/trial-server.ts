// A server of a trial, which prints its URL.
// node trial-server.ts <place>
import { serve } from '@agentkit/server'
import { openTrialStore } from './open-trial-store.ts'
import { trialAgents } from './trial-agents.ts'

const [place = '', thinkMs = '0'] = process.argv.slice(2)
const [steps] = trialAgents({ sessions: openTrialStore(place), log: () => {}, thinkMs: Number(thinkMs), actMs: Number(thinkMs) / 10 })
const { url } = await serve(steps, { port: 0, log: () => {} })
console.log(url)
