import { dirname, relative } from 'node:path'
import { areHashes, counted, invalidConfig, type LockFile, lockFile, notice } from '@agentkit/core/internal'
import { plainPath, type Skill } from './read-skills.ts'

/** How a skill compares with its pin. */
export type PinState = 'pinned' | 'changed' | 'unpinned'

/**
 * Compares skills with their pins, and pins new ones.
 * @param isProduction nothing is written
 * @throws AgentKitError `invalid-config` for a file that is not a lock file
 */
export function checkPins(skills: readonly Skill[], path: string, isProduction: boolean): Map<Skill, PinState> {
  const file = open(path)
  const states = new Map(skills.map((skill) => [skill, pinState(skill, file.read(keyOf(skill, path)))]))
  const added = skills.filter((skill) => states.get(skill) === 'unpinned')
  if (isProduction || added.length === 0) return states
  pin(added, path)
  for (const skill of added) states.set(skill, 'pinned')
  notice(`pinned ${counted(added.length, 'skill')} in ${path}. Commit the file.`)
  return states
}

/** Pins the skills as they are now. @returns the names of those whose pin is new or has changed */
export function pinSkills(skills: readonly Skill[], path: string): string[] {
  const file = open(path)
  const accepted = skills.filter((skill) => pinState(skill, file.read(keyOf(skill, path))) !== 'pinned')
  if (accepted.length > 0) pin(accepted, path)
  return accepted.map(({ name }) => name)
}

type LockedFolder = Record<string, string>

function open(path: string): LockFile<LockedFolder> {
  return lockFile(path, { of: 'skills', section: 'folders', isEntry: areHashes })
}

/** Two folders may have skills with one name, for different agents. */
function keyOf({ folder }: Skill, path: string): string {
  return plainPath(relative(dirname(path), folder))
}

function pinState({ name, hash }: Skill, locked: LockedFolder = {}): PinState {
  if (!Object.hasOwn(locked, name)) return 'unpinned'
  return locked[name] === hash ? 'pinned' : 'changed'
}

function pin(skills: readonly Skill[], path: string): void {
  const byFolder = Map.groupBy(skills, (skill) => keyOf(skill, path))
  try {
    for (const [folder, its] of byFolder) {
      const hashes = Object.fromEntries(its.map(({ name, hash }) => [name, hash]))
      open(path).change(folder, (locked) => ({ ...locked, ...hashes }))
    }
  } catch (cause) {
    throw invalidConfig(`${path} cannot be written. Allow it, or pass another path or false as \`pins\`.`, { cause })
  }
}
