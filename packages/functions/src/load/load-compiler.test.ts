import { expect, expectTypeOf, it } from 'vitest'
import type * as entry from '../compiler.ts'
import { type Compiler, loadCompiler } from './load-compiler.ts'

it('loads the entry of the compiler, whose types it names', () => {
  expectTypeOf<typeof entry>().toEqualTypeOf<Compiler>()
  expect(Object.keys(loadCompiler()).sort()).toEqual([
    'compileFunction',
    'findFunctions',
    'openProject',
    'planAttachments',
    'syntaxErrors',
  ])
})
