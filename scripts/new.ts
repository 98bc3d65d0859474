// Makes the folder of a provider or of a session store, which passes its contract, and writes what the workspace derives
// from it:
//
//   pnpm new provider acme      packages/providers-acme, with Chat Completions by the SDK of OpenAI
//   pnpm new store acme         packages/sessions-acme, in memory
//
// Its wire or its database is then yours to write: CONTRIBUTING.md has the steps.
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { derive } from './derive.ts'
import { type Manifest, readJson, readText, root } from './workspace-files.ts'

type Kind = 'provider' | 'store'

/** The name that the templates have. */
const template = 'acme'

/**
 * Makes a package.
 *
 * @param name as models are named by it: `acme` in `acme/acme-1`
 * @returns its files, relative to the root
 * @throws Error for a name that no package can have, or that there is
 */
export function createPackage(kind: Kind, name: string): string[] {
  if (!/^[a-z][a-z0-9]{1,30}$/.test(name)) {
    throw new Error(`"${name}" is no name for a package: use small letters and digits, such as "acme".`)
  }
  const folder = `packages/${kind === 'provider' ? 'providers' : 'sessions'}-${name}`
  if (existsSync(join(root, folder))) throw new Error(`${folder} is there already.`)
  return [...filesOf(kind)].map(([path, text]) => {
    const place = `${folder}/${path.replaceAll(template, name)}`
    mkdirSync(dirname(join(root, place)), { recursive: true })
    writeFileSync(join(root, place), renamed(text, name))
    return place
  })
}

/** The files of a template: `scripts/new/provider` or `scripts/new/store`, packages that pass their contracts. */
function filesOf(kind: Kind): Map<string, string> {
  const base = `scripts/new/${kind}`
  const paths = globSync('{README.md,src/**}', { cwd: join(root, base) }).map((path) => path.replaceAll('\\', '/'))
  const files = paths.filter((path) => statSync(join(root, base, path)).isFile())
  const prefix = kind === 'provider' ? 'providers' : 'sessions'
  return new Map([
    ...files.map((path): [string, string] => [path, readText(`${base}/${path}`)]),
    ...packageFiles(`@agentkit/${prefix}-${template}`, base),
  ])
}

/** package.json and tsconfig.json have the structure of another package's, which is common to all. */
function packageFiles(name: string, base: string): [string, string][] {
  const model = 'packages/providers-groq'
  const own = readJson<Manifest>(`${base}/package.json`)
  const keywords = ['agentkit', 'ai', 'agent', 'llm', template]
  const { agentkit: _, ...common } = readJson<Manifest>(`${model}/package.json`)
  const manifest = {
    ...common,
    ...{ name, version: '0.0.0', description: own.description, keywords },
    ...(own.agentkit !== undefined && { agentkit: own.agentkit }),
    ...{ dependencies: own.dependencies, devDependencies: own.devDependencies },
  }
  const tsconfig = readText(`${model}/tsconfig.json`).replace(', "src/models.json"', '')
  return [
    ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['tsconfig.json', tsconfig],
  ]
}

/** The names of the template in every case: `acme`, `Acme`, `ACME`. */
function renamed(text: string, name: string): string {
  const capital = `${name[0]?.toUpperCase()}${name.slice(1)}`
  return text.replaceAll('ACME', name.toUpperCase()).replaceAll('Acme', capital).replaceAll(template, name)
}

function main([kind, name]: readonly string[]): void {
  if ((kind !== 'provider' && kind !== 'store') || name === undefined) {
    throw new Error('Usage: pnpm new provider <name>, or: pnpm new store <name>')
  }
  const files = createPackage(kind, name)
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { packageManager: string }
  console.log(`Made:\n${files.map((file) => `  ${file}`).join('\n')}`)
  console.log(`Derived: ${derive().join(', ') || 'nothing'}`)
  const folder = files[0]?.split('/').slice(0, 2).join('/')
  console.log(`
Next:
  npx ${packageManager} install      writes the lockfile
  npm test -- ${folder}              runs the contract
  npm test -- workspace switch-matrix known-models --update    writes the public names, and the tables of models
CONTRIBUTING.md says what is yours to write.`)
}

if (import.meta.main) {
  try {
    main(process.argv.slice(2))
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
