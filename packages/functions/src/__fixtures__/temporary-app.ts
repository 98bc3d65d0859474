import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { builtEnvironment } from '@agentkit/test-build'

const packages = resolve(import.meta.dirname, '../../..')
const register = resolve(import.meta.dirname, '../../dist/register.js')

/** A folder with an app that Node runs on the built packages (`buildPackages`); gone when it goes out of scope. */
export type TemporaryApp = Disposable & {
  folder: string
  /** The path of a file of the app. */
  path(file: string): string
  write(files: Record<string, string>): void
  /** Runs a file of the app, with the hook. */
  run(file: string, ...nodeOptions: string[]): Promise<Outcome>
  /** Runs it without. */
  runPlain(file: string, ...nodeOptions: string[]): Promise<Outcome>
}

/** The output and the exit code of a process. */
export type Outcome = { output: string; errors: string; exitCode: number }

export function temporaryApp(files: Record<string, string>): TemporaryApp {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agentkit-app-')))
  const app: TemporaryApp = {
    folder,
    path: (file) => join(folder, file),
    write(more) {
      for (const [file, text] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
    },
    run: (file, ...nodeOptions) => app.runPlain(file, ...nodeOptions, '--import', register),
    runPlain: (file, ...nodeOptions) => runNode(folder, [...nodeOptions, file]),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
  app.write({ 'package.json': '{ "type": "module" }', ...files })
  mkdirSync(join(folder, 'node_modules', '@agentkit'), { recursive: true })
  symlinkSync(join(packages, 'core'), join(folder, 'node_modules', '@agentkit', 'core'), 'junction')
  return app
}

function runNode(cwd: string, nodeArguments: string[]): Promise<Outcome> {
  return new Promise((done) => {
    execFile(process.execPath, nodeArguments, { cwd, env: builtEnvironment() }, (error, output, errors) => {
      done({ output: output.trim(), errors: errors.trim(), exitCode: typeof error?.code === 'number' ? error.code : 0 })
    })
  })
}
