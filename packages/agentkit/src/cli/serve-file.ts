import { beginLoading } from '../util/loaded-file.ts'
import { agentFile } from './common/agent-file.ts'
import { chosenAgent, loadAgents, loadApp } from './common/load-agents.ts'

/**
 * Runs a file as it is, and serves its agent when the file serves none itself.
 *
 * @param words the arguments of the file; of one that serves nothing itself, `--agent` is ours
 * @returns whether it has an agent or serves one
 * @throws UsageError where several agents may be meant; errors of the file itself
 */
export async function serveFile(
  file: string | undefined,
  words: readonly string[],
  id: string | undefined,
): Promise<boolean> {
  let isServing = false
  const onServing = (): void => {
    isServing = true
  }
  const path = agentFile(file)
  if (path !== undefined) process.argv = [process.execPath, path, ...words]
  const expected = { standIn: true, onServing }
  beginLoading(expected)
  const ids = [id ?? idAmong(words)]
  const loaded = await (path === undefined ? loadAgents(undefined, { ...expected, ids }) : loadApp(path, file ?? path))
  // An app may begin to serve in a function that it does not wait for.
  await new Promise((resolve) => setImmediate(resolve))
  if (isServing || loaded.agents.length === 0) return isServing
  const agent = chosenAgent(loaded, ids[0])
  if ('run' in agent && typeof agent.run === 'function') await agent.run()
  return true
}

function idAmong(words: readonly string[]): string | undefined {
  const place = words.indexOf('--agent')
  return place === -1 ? undefined : words[place + 1]
}
