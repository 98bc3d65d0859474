import { join } from 'node:path'
import { isAgentKitError, Swarm, type SwarmOptions, terminalLine, terminalText } from 'agentkit'
import { describeData } from './describe-data.ts'
import { findTrend } from './find-trend.ts'
import { lineOf } from './line-of.ts'

const question = process.argv.slice(2).join(' ') || 'Can you analyze the following data: [1, 2, 3, 4, 5]'

// The agents of the swarm are tables of the configuration file, with their instructions and functions.
const swarm = createSwarm({
  name: 'Research Team',
  functions: [describeData, findTrend],
  configPath: join(import.meta.dirname, '../research.toml'),
})
const run = swarm.stream(question)
console.log(`You: ${terminalText(question)}\n`)
for await (const event of run) {
  const line = lineOf(event)
  if (line !== undefined) console.log(terminalLine(line))
}
const { text, usage, finishReason, error } = await run.result
console.log(`\n${swarm.name}: ${terminalText(text)}\n\n${finishReason}, ${usage.totalTokens ?? 0} tokens in all.`)
if (error) {
  console.error(terminalLine(error.message))
  process.exitCode = 1
}
await swarm.close()

/** Without a model and a key the swarm runs on the offline stand-in, and prints a notice. */
function createSwarm(options: SwarmOptions): Swarm {
  try {
    return new Swarm(options)
  } catch (error) {
    if (!isAgentKitError(error) || error.code !== 'missing-key' || error.provider !== undefined) throw error
    console.log('No key and no model is set: running on offline/extractive, which is not a language model.\n')
    return new Swarm({ ...options, model: 'offline/extractive' })
  }
}
