// Writes the files that repeat what package.json files say: `npm run derive`. `workspace.test.ts` fails
// where a file differs.
import { globSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Manifest, readJson, readText, root } from './workspace-files.ts'

/** The facts that a provider's package declares: `agentkit` in its package.json. */
export type ProviderEntry = {
  /** The name in the documentation. */
  label?: string
  /** The environment variables that hold its key; the first one that is set is used. */
  keys: readonly string[]
  /** The variables that hold its address. */
  address?: readonly string[]
  /** A model that it has; people choose another in the configuration. */
  model: string
  /** How its keys begin. */
  keyPrefix?: string
}

type Provider = ProviderEntry & { id: string; name: string }
type Dependencies = Record<string, string>
type AgentkitManifest = {
  dependencies: Dependencies
  peerDependencies: Dependencies
  peerDependenciesMeta: Record<string, { optional: true }>
  devDependencies: Dependencies
}

const table = 'packages/agentkit/src/models/provider-table.ts'
const manifestFile = 'packages/agentkit/package.json'
const guide = 'docs/guides/providers.md'

/** The files that follow from the packages, with the text that they should have. */
export function derivedFiles(): Map<string, string> {
  const providers = readProviders()
  const files = new Map([
    [table, tableOf(providers)],
    [manifestFile, manifestOf(providers)],
    [guide, guideOf(providers)],
  ])
  for (const { folder, manifest } of readManifests()) {
    const { dependencies = {}, peerDependencies = {} } =
      folder === 'packages/agentkit' ? (JSON.parse(files.get(manifestFile) ?? '') as AgentkitManifest) : manifest
    files.set(`${folder}/tsconfig.json`, tsconfigOf(folder, { ...dependencies, ...peerDependencies }))
  }
  return files
}

/** @returns the files that it has changed */
export function derive(): string[] {
  const changed = [...derivedFiles()].filter(([path, text]) => readText(path) !== text)
  for (const [path, text] of changed) writeFileSync(join(root, path), text)
  return changed.map(([path]) => path)
}

function readManifests(): { folder: string; manifest: Manifest }[] {
  const paths = globSync('packages/*/package.json', { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.sort().map((path) => ({ folder: dirname(path), manifest: readJson<Manifest>(path) }))
}

/** Lists and the choice of a default follow this order; providers that it does not name come before `offline`. */
const order = ['openai', 'azure', 'anthropic', 'mistral', 'groq', 'gemini', 'ollama']

function readProviders(): Provider[] {
  const place = ({ id }: Provider): number => {
    if (id === 'offline') return order.length + 1
    return order.includes(id) ? order.indexOf(id) : order.length
  }
  return readManifests()
    .filter(({ folder }) => folder.startsWith('packages/providers-'))
    .map(({ folder, manifest: { name, agentkit } }): Provider => {
      if (agentkit === undefined) throw new Error(`${folder}/package.json has no \`agentkit\`: see scripts/derive.ts.`)
      return { ...(agentkit as ProviderEntry), id: folder.replace('packages/providers-', ''), name }
    })
    .sort((one, other) => place(one) - place(other))
}

function tableOf(providers: readonly Provider[]): string {
  const quoted = (words: readonly string[]): string => `[${words.map((word) => `'${word}'`).join(', ')}]`
  const rows = (line: (provider: Provider) => string | undefined): string =>
    providers
      .map((provider) => [provider.id, line(provider)])
      .flatMap(([id, value]) => (value === undefined ? [] : [`  ${id}: ${value},\n`]))
      .join('')
  return `// Generated from \`agentkit\` in the package.json of the providers: npm run derive

/**
 * The environment variables that hold each provider's key; the first one that is set is used. A key is sent to its own
 * provider only. A provider without variables needs no key.
 */
export const keyVariables = {
${rows(({ keys }) => quoted(keys))}} as const

export type ProviderId = keyof typeof keyVariables

/** The packages of the providers. */
export const packages: Readonly<Record<ProviderId, string>> = {
${rows(({ name }) => `'${name}'`)}}

/** A model that each provider has; people choose another in the configuration. */
export const usualModels: Readonly<Record<ProviderId, string>> = {
${rows(({ model }) => `'${model}'`)}}

/** The prefixes of providers' keys. Keys of other providers have none. */
export const keyPrefixes: Partial<Record<ProviderId, string>> = {
${rows(({ keyPrefix }) => keyPrefix && `'${keyPrefix}'`)}}
`
}

/** Every provider that agentkit does not depend on is an optional peer of it. */
function manifestOf(providers: readonly Provider[]): string {
  const manifest = readJson<AgentkitManifest>(manifestFile)
  const names = providers.map(({ name }) => name).filter((name) => !(name in manifest.dependencies))
  const withNames = <Value>(entries: Record<string, Value>, value: Value): Record<string, Value> => {
    const others = Object.entries(entries).filter(([name]) => !name.startsWith('@agentkit/providers-'))
    const all: [string, Value][] = [...others, ...names.map((name): [string, Value] => [name, value])]
    return Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)))
  }
  manifest.peerDependencies = withNames(manifest.peerDependencies, 'workspace:^')
  manifest.peerDependenciesMeta = withNames<{ optional: true }>(manifest.peerDependenciesMeta, { optional: true })
  manifest.devDependencies = withNames(manifest.devDependencies, 'workspace:^')
  return json(manifest)
}

/** The references of a package are the packages of the workspace that it depends on. */
function tsconfigOf(folder: string, dependencies: Dependencies): string {
  const siblings = Object.keys(dependencies).filter((name) => name.startsWith('@agentkit/'))
  const references = siblings.sort().map((name) => ({ path: `../${name.replace('@agentkit/', '')}` }))
  const text = readText(`${folder}/tsconfig.json`)
  const list = references.length === 0 ? '[]' : JSON.stringify(references, null, 2).replaceAll('\n', '\n  ')
  return text.replace(/"references": \[[^\]]*\]/, `"references": ${list}`)
}

/** The first table of the guide. */
function guideOf(providers: readonly Provider[]): string {
  const { dependencies } = readJson<AgentkitManifest>(manifestFile)
  const code = (words: readonly string[], join: string): string => words.map((word) => `\`${word}\``).join(join)
  const rows = providers
    .filter(({ label }) => label !== undefined)
    .map(({ label, name, model, keys, address = [] }) => {
      const own = name in dependencies ? ' (comes with `agentkit`)' : ''
      const variables = [code(keys, ' or '), code(address, ', ')].filter(Boolean).join('; ')
      return `| ${label} | \`${name}\`${own} | \`${model}\` | ${variables} |\n`
    })
  const head = '| provider | package | model name | key; address |\n|---|---|---|---|\n'
  const text = readText(guide)
  const start = text.indexOf('| provider |')
  return `${text.slice(0, start)}${head}${rows.join('')}${text.slice(text.indexOf('\n\n', start) + 1)}`
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

if (import.meta.main) {
  const changed = derive()
  console.log(changed.length === 0 ? 'All derived files are up to date.' : `Written: ${changed.join(', ')}`)
}
