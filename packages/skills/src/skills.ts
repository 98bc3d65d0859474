import { resolve } from 'node:path'
import type { Tool } from '@agentkit/core'
import {
  checkOptions,
  invalidArgument,
  invalidConfig,
  isProduction,
  isTextList,
  nearestWord,
} from '@agentkit/core/internal'
import { limits } from './limits.ts'
import { checkPins, type PinState } from './pins.ts'
import { readSkills, type Skill } from './read-skills.ts'
import { loadTool, readTool } from './tools.ts'

/** The options of `skills()`. */
export type SkillsOptions = {
  /** The names of skills whose text is part of the instruction: models often leave skills unloaded. */
  always?: readonly string[]
  /** The lock file of the skills' hashes; default `agentkit-skills.lock.json`. `false` pins nothing. */
  pins?: string | false
}

/**
 * The skills of a folder, in the agentskills format: their names and descriptions become part of the instruction, and the
 * model loads the text of one by the tool `load_skill`, its files by `read_skill_file`. No script of a skill is run.
 *
 * @param folder a folder with a `SKILL.md`, a folder of such folders, or several of them
 * @returns an element of an agent's `functions`; the folder is read once, here
 * @throws AgentKitError `invalid-config` for a folder that is not a skill, and for a skill that exceeds a limit, which
 *   the message names
 * @throws AgentKitError `invalid-argument` for an option that does not exist, and for a name in `always` that no skill has
 * @example
 * const agent = new Agent({ name: 'Clerk', functions: [skills('./skills', { always: ['house-style'] })] })
 */
export function skills(folder: string | readonly string[], options: SkillsOptions = {}): Tool[] {
  return skillTools(folder, options, isProduction())
}

/** @param isProduction no pin is written, and a skill without one ends the run */
export function skillTools(folder: string | readonly string[], options: SkillsOptions, isProduction: boolean): Tool[] {
  checkOptions(options, {
    always: isTextList,
    pins: {
      is: 'the path of the lock file, or false',
      holds: (value) => value === false || (typeof value === 'string' && value.trim() !== ''),
    },
  })
  const folders = typeof folder === 'string' ? [folder] : folder
  if (!isTextList.holds(folders) || folders.length === 0 || folders.some((path) => path.trim() === '')) {
    throw invalidArgument('`skills` takes the path of a folder, or a list of paths.')
  }
  const { always = [], pins = usualPins } = options
  const found = readSkills(folders)
  checkAlways(always, found)
  const all = [...found.values()]
  const states: ReadonlyMap<Skill, PinState> = pins === false ? new Map() : checkPins(all, resolve(pins), isProduction)
  const usable = all.filter((skill) => (states.get(skill) ?? 'pinned') === 'pinned')
  const byName = new Map(usable.map((skill) => [skill.name, skill]))
  const load: Tool = {
    ...loadTool(byName),
    instruction: instructionOf(usable, always),
    isEnabled(run) {
      for (const [skill, state] of states) if (state !== 'pinned') run.warn(refuse(skill, state, String(pins)))
      return usable.length > 0
    },
  }
  return [load, { ...readTool(byName), isEnabled: () => usable.length > 0 }]
}

/** The lock file that `agentkit tools pins skills` takes too. */
const usualPins = 'agentkit-skills.lock.json'

function checkAlways(always: readonly string[], found: ReadonlyMap<string, Skill>): void {
  const unknown = always.find((name) => !found.has(name))
  if (unknown !== undefined) {
    const nearest = nearestWord(unknown, [...found.keys()])
    const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`
    throw invalidArgument(`\`always\` names "${unknown}", which is no skill of the folder.${hint}`)
  }
  const bytes = always.reduce((sum, name) => sum + Buffer.byteLength(found.get(name)?.body ?? ''), 0)
  if (bytes <= limits.alwaysBytes) return
  throw invalidConfig(`The skills of \`always\` have ${bytes} bytes. The limit is ${limits.alwaysBytes}: name fewer.`)
}

/** All names and descriptions, each in one line, and the texts that are always there. */
function instructionOf(skills: readonly Skill[], always: readonly string[]): string {
  const lines = skills.map(({ name, description }) => {
    return `- ${name}${always.includes(name) ? ' (loaded, see below)' : ''}: ${description.replace(/\s+/g, ' ')}`
  })
  const loaded = skills.filter(({ name }) => always.includes(name))
  const texts = loaded.map(({ name, body }) => `\n\n<skill name="${name}">\n${body}\n</skill>`)
  return `${heading}\n${lines.join('\n')}${texts.join('')}`
}

const heading =
  'Skills are instructions for certain tasks. Where a task fits the description of one, call load_skill with its name ' +
  'before you begin, and follow it. Files that it mentions are read by read_skill_file; scripts cannot be run. The skills:'

/**
 * The warning of a run about a skill that is left out. @throws AgentKitError `invalid-config` for a skill without a pin
 */
function refuse({ name, folder }: Skill, state: PinState, pins: string): string {
  const file = resolve(pins) === resolve(usualPins) ? '' : ` --pins ${JSON.stringify(pins)}`
  const accept = `agentkit tools pins skills ${JSON.stringify(folder)} ${name}${file}`
  if (state === 'changed') {
    return `The run has no skill "${name}": it has changed since it was pinned in ${pins}. Look at what it is now; to use it, run: ${accept}`
  }
  throw invalidConfig(
    `The skill "${name}" has no pin in ${pins}. Run the agent once in development or \`${accept}\`, and commit the file.`,
  )
}
