import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { formatManifest } from './format-manifest.ts'
import type { Manifest } from './manifest.ts'
import { readManifest } from './read-manifest.ts'

const { ts } = loadTsMorph()

const compiled = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number', description: "The first one's value." }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  parameters: [{ name: 'a' }, { name: 'b' }],
}

describe('formatManifest', () => {
  it('writes one import for each file and one call for each function', () => {
    expect(
      formatManifest({
        header: { file: 'agentkit-tools.ts', patterns: ['**/*.ts'] },
        attachFrom: '@agentkit/functions',
        functions: [
          { from: './math.ts', path: ['add'], compiled },
          { from: './math.ts', path: ['Calculator', 'prototype', 'half-up'], compiled: { name: 'half-up' } },
        ],
      }),
    ).toBe(`// Made by \`agentkit tools build\`. Do not edit: change the functions, and build again.
// The app imports it once, ahead of its agents.
// agentkit-tools: {"file":"agentkit-tools.ts","patterns":["**/*.ts"]}
/* eslint-disable */
import { attachTool } from '@agentkit/functions'
import * as mathModule from './math.ts'

attachTool(mathModule.add, {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: {
      a: { type: 'number', description: "The first one's value." },
      b: { type: 'number' },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  parameters: [{ name: 'a' }, { name: 'b' }],
})

attachTool(mathModule.Calculator.prototype['half-up'], { name: 'half-up' })
`)
  })

  it.each([
    ['./order-status.ts', 'orderStatusModule'],
    ['./chain/index.ts', 'chainModule'],
    ['./class.js', 'classModule'],
    ['../3d.tsx', '_3dModule'],
    ['./attachTool', 'attachToolModule'],
    ['./[id].ts', 'idModule'],
    ['./für-uns.mts', 'fRUnsModule'],
    ['./注文.ts', 'fileModule'],
    ['./index.ts', 'indexModule'],
    ['./v1.2.ts', 'v12Module'],
  ])('calls %s %s', (from, name) => {
    expect(formatManifest(manifestOf([from]))).toContain(`import * as ${name} from`)
  })

  it('gives files of the same name names of their own', () => {
    const text = formatManifest(manifestOf(['./a/add.ts', './b/add.ts', './b/add2.ts', './add-module.ts']))
    const names = [...text.matchAll(/import \* as (\S+)/g)].map(([, name]) => name)
    expect(names).toEqual(['addModule', 'addModule2', 'add2Module', 'addModuleModule'])
  })

  it('writes values that read back as equal, for any content', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', "it's", '"', '\\', '`', '\u2028', '*/'),
    )
    const data = fc.jsonValue({ stringUnit: 'binary' })
    const manifest = fc.record({
      header: fc.record({ file: text, patterns: fc.array(text) }),
      attachFrom: text,
      functions: fc.array(
        fc.record({
          from: text,
          path: fc.array(text, { minLength: 1 }),
          compiled: fc
            .array(fc.tuple(text, data))
            .map((entries) => JSON.parse(JSON.stringify(Object.fromEntries(entries)))),
        }),
      ),
    })
    fc.assert(
      fc.property(manifest, (value) => {
        const read = readManifest(ts, formatManifest(value))
        expect(JSON.stringify(read)).toBe(JSON.stringify(value))
      }),
    )
  })
})

function manifestOf(imports: string[]): Manifest {
  return {
    header: { file: 'agentkit-tools.ts', patterns: [] },
    attachFrom: '@agentkit/functions',
    functions: imports.map((from) => ({ from, path: ['add'], compiled })),
  }
}
