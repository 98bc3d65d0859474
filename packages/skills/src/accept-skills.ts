import { resolve } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import { nearestWord } from '@agentkit/core/internal'
import { pinSkills } from './pins.ts'
import { readSkills } from './read-skills.ts'

/**
 * Pins the skills of folders as they are now.
 * @param name the only one that is pinned
 * @returns the names of those whose pin is new or has changed
 * @throws AgentKitError as `skills` does; `not-found` for a name that no skill has
 */
export function acceptSkills(folders: readonly string[], name: string | undefined, lockFile: string): string[] {
  const skills = readSkills(folders)
  const chosen = [...skills.values()].filter((skill) => name === undefined || skill.name === name)
  if (chosen.length > 0) return pinSkills(chosen, resolve(lockFile))
  const nearest = nearestWord(name ?? '', [...skills.keys()])
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
  throw new AgentKitError('not-found', `There is no skill "${name}".${hint}`)
}
