import { readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileFunction } from '../compile-function.ts'
import { findFunctions } from '../find/find-functions.ts'
import { openProject, type TypedProject } from './project.ts'

const folder = resolve(import.meta.dirname, '../../__fixtures__/signatures')
/** The files whose tools are written by hand. */
const paths = readdirSync(folder).flatMap((name, _index, names) => {
  return names.includes(name.replace(/\.[jt]s$/, '.expected.ts')) ? [join(folder, name)] : []
})

describe('createSmallProgram', () => {
  let own: TypedProject
  beforeAll(() => {
    own = openProject(paths, { lib: 'own' })
    expect(paths).not.toHaveLength(0)
  })

  it.each(paths.map((path) => [basename(path), path]))(
    'leaves out nothing that the tools of %s are made of',
    (_name, path) => {
      expect(compileAll(openProject([path], { lib: 'small' }), path)).toEqual(compileAll(own, path))
    },
  )

  it('leaves out nothing of functions that are not exported', () => {
    const path = join(folder, 'written.ts')
    const text = `import type { Country, PostalAddress } from './shared-types.ts'
      const count = (counts: Record<Country, number>) => counts
      const pick = <Key extends keyof PostalAddress>(key: Key, word: \`to-\${Country}\`) => key
      const tools = { send: (address: Omit<PostalAddress, 'lines'>) => address }
      console.log(count, pick, tools)`
    const [small, whole] = (['small', 'own'] as const).map((lib) =>
      compileAll(openProject([path], { lib }), path, text),
    )
    expect(small).toHaveLength(3)
    expect(small).toEqual(whole)
    expect(whole?.map((compilation) => typeof compilation)).toEqual(['object', 'object', 'object'])
  })
})

/** The result for each function of a file: a tool, or the reason why it cannot be one. */
function compileAll(project: TypedProject, path: string, text?: string): unknown[] {
  return findFunctions(project.ts, project.sourceFile(path, text)).map((found) => {
    try {
      return compileFunction(found, project)
    } catch (error) {
      return String(error)
    }
  })
}
