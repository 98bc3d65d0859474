import { invalidConfig } from '../data/errors.ts'
import { knowledgeOf } from './knowledge-of.ts'

/** Agents whose users have files of their own. */
const separate = new WeakSet<object>()

/**
 * Makes each user of an agent see only their own files, also those of members that join later.
 * @throws AgentKitError `invalid-config` when its knowledge cannot do that
 */
export function separateUsers(agent: object): void {
  const all = knowledgeOf(agent)
  if (all.some((knowledge) => !knowledge.separateUsers || knowledge.folder === undefined)) {
    throw invalidConfig(
      '`perUserFiles` needs knowledge with `folder` and `separateUsers`, as createRetriever() makes it. ' +
        'Leave `perUserFiles` out: then all users share what the agent knows.',
    )
  }
  for (const knowledge of all) knowledge.separateUsers?.()
  mark(agent)
}

/** Agents whose configuration says that users have files of their own. */
const configured = new WeakSet<object>()

/** Notes that the configuration of an agent separates the files of its users. */
export function noteSeparate(agent: object): void {
  configured.add(agent)
}

/**
 * Refuses to share files that the configuration separates, where its options do not decide.
 * @param given the option `perUserFiles`
 * @throws AgentKitError `invalid-config`
 */
export function checkSeparate(agent: object, given: boolean | undefined): void {
  if (given !== undefined || !configured.has(agent) || knowledgeOf(agent).length === 0) return
  throw invalidConfig(
    "The agent's configuration has `per_user_files = true`, which is not read here: all users would see each other's files. " +
      'Pass `perUserFiles: true`, or `false` to share them.',
  )
}

/** Separates the users of a new member as those of its swarm are. @throws AgentKitError as {@link separateUsers} does */
export function separateAsIn(swarm: object, member: object): void {
  if (separate.has(swarm)) separateUsers(member)
}

function mark(agent: { agents?: readonly object[] }): void {
  separate.add(agent)
  // Swarms and workflows have members.
  for (const member of agent.agents ?? []) mark(member)
}
