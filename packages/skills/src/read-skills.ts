import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { invalidConfig, pinOf } from '@agentkit/core/internal'
import { decodeText, type Entries, listFiles, listFolder, readRegular, type SkillFile } from './files.ts'
import { readFrontMatter, type SkillText } from './front-matter.ts'
import { limits } from './limits.ts'

/** A folder with a `SKILL.md`. */
export type Skill = SkillText & {
  root: string
  /** The folder that was given, in which it was found. */
  folder: string
  /** The other files of the skill, by their paths. */
  files: ReadonlyMap<string, SkillFile>
  /** The hash of all its files. */
  hash: string
}

/**
 * The skills of folders, by their names.
 * @throws AgentKitError `invalid-config` for a folder without skills, with every problem of those that are there, and for
 *   what exceeds a limit
 */
export function readSkills(folders: readonly string[]): Map<string, Skill> {
  const skills = new Map<string, Skill>()
  const problems: string[] = []
  const entries: Entries = { count: 0 }
  const attempt = (path: string, act: () => void): void => {
    try {
      act()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      problems.push(`${path} ${code === undefined ? message : `cannot be read (${code})`}.`)
    }
  }
  for (const given of folders) {
    attempt(given, () => {
      const folder = existing(given)
      const roots = findRoots(folder, entries)
      if (roots.length === 0) throw new Error('has no folder with a SKILL.md')
      for (const root of roots) {
        const path = join(given, relative(folder, root))
        attempt(path, () => {
          const skill = readSkill(root, folder, entries)
          const other = skills.get(skill.name)
          if (other) throw new Error(`has the name "${skill.name}", as ${other.root} has. Rename one of them`)
          skills.set(skill.name, skill)
        })
      }
    })
  }
  const { size } = skills
  if (size > limits.skills) problems.unshift(`There are ${size} skills. The limit is ${limits.skills}.`)
  const chars = [...skills.values()].reduce((sum, { name, description }) => sum + name.length + description.length, 0)
  if (chars > limits.catalogChars) {
    problems.unshift(
      `The names and descriptions of the ${size} skills have ${chars} characters. The limit is ${limits.catalogChars}, as they are part of each request: shorten them, or give an agent fewer skills.`,
    )
  }
  if (problems.length > 0) throw invalidConfig(listed(problems))
  return skills
}

function existing(folder: string): string {
  if (!existsSync(folder)) throw new Error('is not there. Pass a folder of skills')
  if (!statSync(folder).isDirectory()) throw new Error('is not a folder. Pass a folder of skills')
  return realpathSync(resolve(folder))
}

/** The folders with a `SKILL.md`: the folder itself, or those below, at any place of a repository. */
function findRoots(folder: string, entries: Entries, depth = 0): string[] {
  const found = listFolder(folder, entries)
  if (found.some(({ name }) => name === 'SKILL.md')) return [folder]
  const misspelt = found.find(({ name }) => name.toLowerCase() === 'skill.md')
  if (misspelt) throw new Error(`has ${misspelt.name} in ${folder}. Rename it to SKILL.md`)
  if (depth === limits.searchDepth) return []
  return found.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isSymbolicLink() && isFolder(path)) {
      throw new Error(`has the link ${relative(folder, path)} to another folder. Pass that folder too, or move it here`)
    }
    return entry.isDirectory() ? findRoots(path, entries, depth + 1) : []
  })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function readSkill(root: string, folder: string, entries: Entries): Skill {
  const chunks: Buffer[] = []
  const most = limits.bodyBytes + limits.frontMatterChars * 4
  const main = readRegular(join(root, 'SKILL.md'), 'SKILL.md', most, (chunk) => chunks.push(chunk))
  const text = readFrontMatter(decodeText(Buffer.concat(chunks), 'SKILL.md'))
  const files = listFiles(root, entries)
  const hashes = [...files].map(([path, { hash }]) => [path, hash])
  if (files.get('SKILL.md')?.hash !== main.hash) throw new Error('has a SKILL.md that changes while it is read')
  files.delete('SKILL.md')
  return { ...text, root, folder, files, hash: pinOf(Object.fromEntries(hashes)) }
}

function listed(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join()
  const shown = problems.slice(0, limits.problems).map((problem) => `\n- ${problem}`)
  const more = problems.length - shown.length
  return `The skills cannot be used:${shown.join('')}${more > 0 ? `\n- and ${more} more problems` : ''}`
}

/** A path as it is written in files that are committed. */
export function plainPath(path: string): string {
  return path.split(sep).join('/') || '.'
}
