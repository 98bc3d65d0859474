import { basename } from 'node:path'
import { isRecord } from '@agentkit/core/internal'
import { packages } from '../../models/provider-table.ts'
import { ownManifest } from '../common/own-manifest.ts'
import type { Choices } from './choices.ts'

/** The versions of the tools that check a new project. A test keeps them equal to those of this repository. */
export const toolVersions = { '@types/node': '24.19.2', 'ts-morph': '28.0.0', typescript: '7.0.2' } as const

export type MergedManifest = { text: string; notes: string[]; taken: string[]; ownTest?: string }
type Manifest = { type?: unknown; [key: string]: unknown }

const register = 'node --import agentkit/register'
/** Node 20 finds no test in TypeScript, loads nothing, and succeeds: the first command is refused there, with the reason. */
const scripts = { dev: 'agentkit dev', chat: 'agentkit chat', test: `${register} --eval 0 && ${register} --test` }

/**
 * A package.json with the entries that a project needs; existing entries stay.
 *
 * @param text of the file that exists
 * @returns the text, a sentence for each value that is changed, the names of our scripts that the project has for something
 *   else, and the command of tests where it is not ours
 * @throws Error for a text that is not a JSON object
 */
export function mergeManifest(text: string | undefined, folder: string, choices: Choices): MergedManifest {
  const manifest = text === undefined ? newManifest(folder) : parse(text)
  const notes: string[] = []
  if (manifest.type !== 'module') {
    if (manifest.type !== undefined)
      notes.push(`package.json: "type" was ${JSON.stringify(manifest.type)}, and is "module" now.`)
    manifest.type = 'module'
  }
  const own = Object(manifest.scripts)
  // `npm init` writes a test that fails.
  const { test, ...others } = own
  const kept = /no test specified/.test(String(test)) ? others : own
  manifest.scripts = { ...scripts, ...kept }
  const taken = Object.entries(scripts).flatMap(([name, script]) => (name in kept && kept[name] !== script ? name : []))
  const { dependencies, devDependencies } = dependenciesOf(choices)
  const has = { ...Object(manifest.dependencies), ...Object(manifest.devDependencies) }
  manifest.dependencies = { ...missingIn(has, dependencies), ...Object(manifest.dependencies) }
  manifest.devDependencies = { ...missingIn(has, devDependencies), ...Object(manifest.devDependencies) }
  const indent = /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
  const ownTest = typeof kept.test === 'string' && !kept.test.includes(register) ? kept.test : undefined
  return {
    text: `${JSON.stringify(manifest, undefined, indent)}\n`,
    notes,
    taken,
    ...(ownTest !== undefined && { ownTest }),
  }
}

function newManifest(folder: string): Manifest {
  const name = basename(folder)
    // Letters without their accents.
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
  return { name: name || 'agent', version: '0.0.0', private: true }
}

function parse(text: string): Manifest {
  const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
  if (isRecord(manifest)) return { ...manifest }
  throw new Error('it is not a JSON object')
}

/** Exact versions, equal to the version of this command, because the packages belong together. */
function dependenciesOf({
  providers,
  template,
}: Choices): Record<'dependencies' | 'devDependencies', Record<string, string>> {
  const { version } = ownManifest
  const names = [
    'agentkit',
    // The others are dependencies of agentkit.
    ...providers.filter((id) => id !== 'openai' && id !== 'offline').map((id) => packages[id]),
    ...(template === 'files' ? ['@agentkit/retriever'] : []),
  ]
  return {
    dependencies: Object.fromEntries(names.map((name) => [name, version])),
    devDependencies: { '@agentkit/testing': version, ...toolVersions },
  }
}

function missingIn(has: Record<string, unknown>, wanted: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !Object.hasOwn(has, name)))
}

const ignored = ['node_modules/', '.env', 'agentkit-data/']

/** A .gitignore with the lines that a project needs. */
export function mergeIgnored(text = ''): string {
  const has = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, '')))
  const missing = ignored.filter((line) => !has.has(line.replace(/\/$/, '')))
  if (missing.length === 0) return text
  const begin = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${begin}${missing.join('\n')}\n`
}
