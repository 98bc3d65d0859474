import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { terminalLine } from '@agentkit/core'
import { tsMorphVersion } from './compiler/scope/load-ts-morph.ts'
import { createCompileCache } from './load/compile-cache.ts'
import { createFunctionFiles } from './load/function-files.ts'
import { loadCompiler } from './load/load-compiler.ts'
import { createLoadHook, globalAttach } from './load/load-hook.ts'
import { nearestFolder } from './load/nearest-folder.ts'

if (!(globalAttach in globalThis)) register()

function register(): void {
  const warn = (warning: string): void => void process.stderr.write(`${terminalLine(warning)}\n`)
  const files = createFunctionFiles({
    cache: createCompileCache(`${ownVersion()} ${tsMorphVersion()}`),
    compile: (found, project) => loadCompiler().compileFunction(found, project),
    warn,
  })
  Object.defineProperty(globalThis, globalAttach, { value: files.attach })
  registerHooks({ load: createLoadHook(files, warn) })
  process.on('exit', files.save)
}

function ownVersion(): unknown {
  const folder = nearestFolder(dirname(fileURLToPath(import.meta.url)), 'package.json') ?? '.'
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version
}
