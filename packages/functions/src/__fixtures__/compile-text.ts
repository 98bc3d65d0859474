import { join } from 'node:path'
import type { JSONSchema } from '@agentkit/core'
import { type Compilation, compileFunction } from '../compiler/compile-function.ts'
import { findFunctions } from '../compiler/find/find-functions.ts'
import { openProject } from '../compiler/project/project.ts'

const folder = import.meta.dirname
const typescript = openProject([join(folder, 'written.ts')], { lib: 'small' })
const javascript = openProject([join(folder, 'written.js')], { lib: 'small' })

/** Compiles the functions of a file with this text, in their order; `from` on. */
export function compileText(text: string, { from = 0, file = 'written.ts' } = {}): Compilation[] {
  const project = file.endsWith('.js') ? javascript : typescript
  const source = project.sourceFile(join(folder, file), text)
  return findFunctions(project.ts, source)
    .slice(from)
    .map((found) => compileFunction(found, project))
}

/** The schemas of what the first of them takes. */
export function schemasOf(text: string, options?: { from?: number; file?: string }): Record<string, JSONSchema> {
  // The root of a tool's schema has properties.
  return compileText(text, options)[0]?.compiled.inputSchema.properties as Record<string, JSONSchema>
}
