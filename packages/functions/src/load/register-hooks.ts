import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { terminalLine } from '@agentkit/core'
import { tsMorphVersion } from '../compiler/scope/load-ts-morph.ts'
import { createCompileCache } from './compile-cache.ts'
import { createFunctionFiles } from './function-files.ts'
import { loadCompiler } from './load-compiler.ts'
import { createLoadHook, globalAttach } from './load-hook.ts'
import { nearestFolder } from './nearest-folder.ts'

/** Compiles the plain functions of the files that Node loads from now on. Once per process. */
export function registerLoadHook(): void {
  if (globalAttach in globalThis) return
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
