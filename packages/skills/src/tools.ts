import { join, posix } from 'node:path'
import { AgentKitError, type Tool, tool } from '@agentkit/core'
import { messageOf, nearestWord } from '@agentkit/core/internal'
import { decodeText, readRegular } from './files.ts'
import { limits } from './limits.ts'
import type { Skill } from './read-skills.ts'

type Skills = ReadonlyMap<string, Skill>

/** The tool that returns the text of a skill, which long conversations keep. */
export function loadTool(skills: Skills): Tool {
  return tool({
    name: 'load_skill',
    description: 'Returns the instructions of a skill. Call it before a task that fits the description of the skill.',
    input: objectOf({ name: 'The name of the skill.' }),
    idempotent: true,
    keepResult: true,
    execute: (input) => skillText(skillNamed(input.name, skills)),
  })
}

/** The tool that returns a file of a skill. */
export function readTool(skills: Skills): Tool {
  return tool({
    name: 'read_skill_file',
    description: 'Returns a text file of a skill.',
    input: objectOf({ name: 'The name of the skill.', path: 'The path of the file in the skill.' }),
    idempotent: true,
    execute: (input) => fileOf(skillNamed(input.name, skills), String(input.path)),
  })
}

function objectOf(descriptions: Record<string, string>) {
  const properties = Object.entries(descriptions).map(([name, description]) => [name, { type: 'string', description }])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(descriptions),
    additionalProperties: false,
  }
}

function skillNamed(name: unknown, skills: Skills): Skill {
  const skill = skills.get(String(name))
  if (skill) return skill
  throw new AgentKitError('not-found', `There is no skill ${JSON.stringify(name)}.${hint(String(name), skills)}`)
}

function skillText({ name, body, files }: Skill): string {
  const text = `<skill name="${name}">\n${body}\n</skill>`
  if (files.size === 0) return text
  const lines = [...files].map(([path, { bytes }]) => `- ${JSON.stringify(path)} (${bytes} bytes)`)
  return `${text}\nIts files, for read_skill_file:\n${lines.join('\n')}`
}

/**
 * Returns only files that were there when the folder was read, unchanged since, because the pins refer to these files.
 */
function fileOf(skill: Skill, given: string): string {
  const path = posix.normalize(given.replaceAll('\\', '/')).replace(/^\.\//, '')
  if (path === 'SKILL.md') return skillText(skill)
  const file = skill.files.get(path)
  if (!file) {
    const isOutside = path.startsWith('/') || path.startsWith('..')
    const reason = isOutside ? ' Only files of its folder can be read.' : hint(path, skill.files)
    throw new AgentKitError('not-found', `The skill "${skill.name}" has no file ${JSON.stringify(given)}.${reason}`)
  }
  const chunks: Buffer[] = []
  try {
    const { hash } = readRegular(join(skill.root, path), path, limits.readBytes, (chunk) => chunks.push(chunk))
    if (hash !== file.hash) throw new Error(`has ${JSON.stringify(path)}, which has changed since the program started`)
    return decodeText(Buffer.concat(chunks), path)
  } catch (cause) {
    throw new AgentKitError('tool-error', `The skill "${skill.name}" ${messageOf(cause)}.`, { cause })
  }
}

function hint(name: string, known: ReadonlyMap<string, unknown>): string {
  const nearest = nearestWord(name, [...known.keys()])
  return nearest === undefined ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
}
