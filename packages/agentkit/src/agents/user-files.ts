import { separateUsers } from '@agentkit/core/internal'
import { SDKContext } from '../config/sdk-context.ts'
import { loadedFile } from '../util/loaded-file.ts'

/** Whether each user of an agent has files of their own: as its `run()` says in the file of a command, else `[server]`. */
export function hasUserFiles(agent: object): boolean {
  const own = loadedFile()?.perUserFiles?.get(agent)
  if (own !== undefined) return own
  const context = 'sdkContext' in agent ? agent.sdkContext : undefined
  return context instanceof SDKContext && context.config.server.per_user_files === true
}

/**
 * Gives users files of their own where no server does it: in workers and commands.
 * @throws AgentKitError `invalid-config` when what an agent knows cannot be separated
 */
export async function separateUserFiles(agents: readonly object[]): Promise<void> {
  for (const agent of agents.filter(hasUserFiles)) separateUsers(agent)
}
