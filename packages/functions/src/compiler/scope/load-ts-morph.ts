import { createRequire } from 'node:module'
import { join } from 'node:path'
import { AgentKitError } from '@agentkit/core'

export type TsMorph = typeof import('ts-morph')

let loaded: TsMorph | undefined

/**
 * TypeScript's type checker. It takes a quarter of a second to load, so it is loaded when something must be compiled.
 * @throws AgentKitError `missing-package` if ts-morph is not installed
 */
export function loadTsMorph(): TsMorph {
  // The cast holds: the exports of ts-morph are as its own types say.
  loaded ??= requireTsMorph('ts-morph') as TsMorph
  return loaded
}

/** The installed version, if any. */
export function tsMorphVersion(): string | undefined {
  try {
    // Every package.json of a package has a version.
    return (requireTsMorph('ts-morph/package.json') as { version: string }).version
  } catch {
    return undefined
  }
}

/** From this package, whose peer it is, then from the app: not every installer links optional peers. */
function requireTsMorph(path: string): unknown {
  try {
    return createRequire(import.meta.url)(path)
  } catch (error) {
    if (!isMissing(error)) throw error
    return requireFromApp(path)
  }
}

function requireFromApp(path: string): unknown {
  try {
    return createRequire(join(process.cwd(), 'package.json'))(path)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    const message =
      'Reading the types of plain functions takes the package ts-morph: npm i -D ts-morph. In production it is not ' +
      'needed: run `agentkit tools build` and import the module that it writes.'
    throw new AgentKitError('missing-package', message, { cause })
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
}
