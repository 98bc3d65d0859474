import type { JSONValue } from '@agentkit/core'
import type { CompiledFunction } from '../runtime/compiled-function.ts'

/** The data of a manifest module, independent of its formatting. */
export type Manifest = {
  header: ManifestHeader
  /** The package that provides `attachTool`. */
  attachFrom: string
  functions: ManifestFunction[]
}

export type ManifestHeader = {
  /** The module's own name: a copy that a compiler writes elsewhere is not the manifest. */
  file: string
  /** Relative to the module's folder, so that it does not matter where the command runs. */
  patterns: string[]
}

export type ManifestFunction = {
  /** The import of its module: `./chain.ts`. */
  from: string
  /** The path in the module: `['Calculator', 'prototype', 'add']`. */
  path: string[]
  /** Read from a file, it may be anything. */
  compiled: CompiledFunction | JSONValue
}
