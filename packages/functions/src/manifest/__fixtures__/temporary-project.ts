import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const repository = resolve(import.meta.dirname, '../../../../..')

/** A folder of files that is a user's project; gone when it goes out of scope. */
export type TemporaryProject = Disposable & {
  folder: string
  write(files: Record<string, string>): void
  read(file: string): string
  /** The errors of the repository's compiler in the project's own files. */
  typeErrors(compilerOptions: Record<string, unknown>): Promise<string[]>
  /** Runs a module of the project by Node without any hook, and returns its output. */
  run(file: string): Promise<string>
}

export function temporaryProject(files: Record<string, string>): TemporaryProject {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-manifest-')))
  const project: TemporaryProject = {
    folder,
    write(more) {
      for (const [file, text] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
    },
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    async typeErrors(compilerOptions) {
      project.write({ 'tsconfig.check.json': JSON.stringify({ compilerOptions: { ...strictest, ...compilerOptions } }) })
      const compiler = join(repository, 'node_modules/typescript/bin/tsc')
      const output = await node([compiler, '-p', 'tsconfig.check.json', '--pretty', 'false'], folder)
      // Our own packages are sources here, which are written for other options.
      return output.split('\n').filter((line) => /error TS/.test(line) && !/packages\/\w+\/src\//.test(line))
    },
    run: (file) => node([file], folder),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
  const scope = join(folder, 'node_modules/@agentkit')
  mkdirSync(scope, { recursive: true })
  for (const name of ['core', 'functions', 'testing']) symlinkSync(join(repository, 'packages', name), join(scope, name), 'junction')
  project.write({ 'package.json': '{ "type": "module", "dependencies": { "@agentkit/functions": "*" } }', ...files })
  return project
}

/** A tsconfig.json without the DOM and Node's types, which take most of a compiler's time. */
export function leanConfig(compilerOptions: Record<string, unknown> = {}): string {
  const lean = { lib: ['es2024'], types: [], module: 'nodenext', allowImportingTsExtensions: true }
  return JSON.stringify({ compilerOptions: { ...lean, ...compilerOptions } })
}

const strictest = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'esnext.disposable'],
  types: ['node'],
  typeRoots: [join(repository, 'node_modules/@types')],
  customConditions: ['@agentkit/source'],
  noEmit: true,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
}

async function node(args: string[], cwd: string): Promise<string> {
  const run = promisify(execFile)(process.execPath, args, { cwd })
  // A compiler prints what it has found, and then fails.
  const { stdout, stderr } = await run.catch((error: { stdout: string; stderr: string }) => error)
  return `${stdout}${stderr}`.trim()
}
