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

/** Separates the users of a new member as those of its swarm are. @throws AgentKitError as {@link separateUsers} does */
export function separateAsIn(swarm: object, member: object): void {
  if (separate.has(swarm)) separateUsers(member)
}

function mark(agent: { agents?: readonly object[] }): void {
  separate.add(agent)
  // Swarms and workflows have members.
  for (const member of agent.agents ?? []) mark(member)
}
