import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Compilation, compileFunction } from './compile-function.ts'
import { findFunctions } from './find/find-functions.ts'
import { openProject } from './project/project.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentkit-built-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function compile(file: string, text: string): Compilation[] {
  const path = join(folder, file)
  writeFileSync(path, text)
  const project = openProject([path], { lib: 'small' })
  return findFunctions(project.ts, project.sourceFile(path, text)).map((found) => compileFunction(found, project))
}

/** What tsc writes for `export function add(a: number, b = 1): number`. */
const built = `/**
 * Adds two numbers.
 * @param a One.
 * @param b The other.
 */
export function add(a, b = 1) { return a + b }`
const declared = 'export declare function add(a: number, b?: number): number'

describe('a function of built code', () => {
  it.each([
    ['index.js', 'index.d.ts'],
    ['index.mjs', 'index.d.mts'],
  ])('is refused where its types are beside it: %s', (file, declarations) => {
    writeFileSync(join(folder, declarations), declared)
    expect(() => compile(file, built)).toThrow(
      new RegExp(
        `${file}:6: add cannot be a tool: the type of parameter "a" is in ${declarations}, and this code was built ` +
          'without it\\. Import the function from its TypeScript source, or run `agentkit tools build` on that source',
      ),
    )
  })

  it('is a tool where its comments have the types, or where no types are beside it', () => {
    const typed = built.replace('@param a One.', '@param {number} a One.')
    expect(compile('alone.js', built)[0]?.compiled.inputSchema.required).toEqual(['a'])
    writeFileSync(join(folder, 'index.d.ts'), declared)
    expect(compile('index.js', typed)[0]?.compiled.inputSchema.properties).toMatchObject({ a: { type: 'number' } })
  })
})
