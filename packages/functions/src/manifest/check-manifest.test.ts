import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { leanConfig, type TemporaryProject, temporaryProject } from './__fixtures__/temporary-project.ts'
import { buildManifest } from './build-manifest.ts'
import { checkManifest, type ManifestCheck } from './check-manifest.ts'

const files = {
  'src/orders.ts': `
import type { Order } from './order.ts'

/**
 * Places an order.
 *
 * It is paid later:
 * - by card
 * - by transfer
 * @param order What is ordered,
 *   and how urgently.
 */
export function place(order: Order): string {
  return order.item
}

/**
 * Cancels an order.
 * @param id Its number.
 */
export function cancel(id: number): void {
  void id
}
`,
  'src/order.ts': "export type Order = { item: string; urgency: 'high' | 'low' }\n",
}
const patterns = ['src/**/*.ts']

let project: TemporaryProject
beforeAll(() => {
  project = temporaryProject({ 'tsconfig.json': leanConfig() })
})
beforeEach(() => {
  rmSync(join(project.folder, 'src'), { recursive: true, force: true })
  project.write(files)
  buildManifest({ patterns, cwd: project.folder })
})
afterAll(() => project[Symbol.dispose]())

function check(): ManifestCheck | undefined {
  return checkManifest({ cwd: project.folder })[0]
}

function edit(file: string, before: string, after: string): void {
  const text = project.read(file)
  expect(text).toContain(before)
  project.write({ [file]: text.replace(before, after) })
}

describe('checkManifest', () => {
  it('finds the manifests of a folder, and nothing to change in fresh ones', () => {
    expect(checkManifest({ cwd: project.folder })).toEqual([
      {
        file: 'src/agentkit-tools.ts',
        functions: 2,
        differences: [],
        problems: [],
        warnings: [],
        command: "agentkit tools build 'src/**/*.ts'",
      },
    ])
  })

  it.each<[string, () => void, string[]]>([
    [
      'a type changes in a file that is imported',
      () => edit('src/order.ts', "'high' |", "'high' | 'normal' |"),
      ['changed: place of ./orders.ts'],
    ],
    [
      'a description changes',
      () => edit('src/orders.ts', 'Cancels an order.', 'Cancels an order for good.'),
      ['changed: cancel of ./orders.ts'],
    ],
    [
      'a parameter is added',
      () => edit('src/orders.ts', 'id: number', 'id: number, reason?: string'),
      ['changed: cancel of ./orders.ts'],
    ],
    [
      'a function is renamed',
      () => edit('src/orders.ts', 'function cancel', 'function revoke'),
      ['new: revoke of ./orders.ts', 'gone: cancel of ./orders.ts'],
    ],
    [
      'a file is new',
      () => project.write({ 'src/deep/pay.ts': 'export function pay(): void {}' }),
      ['new: pay of ./deep/pay.ts'],
    ],
    [
      'a file is renamed',
      () => renameSync(join(project.folder, 'src/orders.ts'), join(project.folder, 'src/sales.ts')),
      [
        'new: place of ./sales.ts',
        'new: cancel of ./sales.ts',
        'gone: place of ./orders.ts',
        'gone: cancel of ./orders.ts',
      ],
    ],
    ['the functions move in their file', () => edit('src/orders.ts', '\n/**\n * Cancels', '\n\n\n/**\n * Cancels'), []],
    [
      'the manifest is edited by hand',
      () => edit('src/agentkit-tools.ts', "type: 'number'", "type: 'integer'"),
      ['changed: cancel of ./orders.ts'],
    ],
    [
      'the manifest has a further entry',
      () => edit('src/agentkit-tools.ts', 'attachTool(', 'console.log()\nattachTool('),
      ['it has something that `agentkit tools build` does not write'],
    ],
    [
      'git gives files the line ends of Windows',
      () => {
        for (const file of ['src/orders.ts', 'src/order.ts', 'src/agentkit-tools.ts']) {
          project.write({ [file]: project.read(file).replaceAll('\n', '\r\n') })
        }
      },
      [],
    ],
    ['it is formatted', () => edit('src/agentkit-tools.ts', "'@agentkit/functions'", '"@agentkit/functions";'), []],
  ])('says what would change when %s', (_, change, differences) => {
    change()
    expect(check()).toMatchObject({ differences, problems: [] })
    // And `build` does just that.
    buildManifest({ patterns, cwd: project.folder })
    expect(check()?.differences).toEqual([])
  })

  it('reports functions that no longer compile', () => {
    edit('src/orders.ts', 'id: number', 'id: symbol')
    expect(check()).toMatchObject({
      differences: [],
      problems: [expect.stringContaining('cancel cannot be a tool'), expect.stringContaining('do not export it')],
    })
  })

  it('takes warnings for problems where it is strict', () => {
    edit('src/orders.ts', ' * @param id Its number.\n', '')
    buildManifest({ patterns, cwd: project.folder })
    expect(check()).toMatchObject({ problems: [], warnings: [expect.stringContaining('"id"')] })
    const [strict] = checkManifest({ cwd: project.folder, strict: true })
    expect(strict).toMatchObject({ problems: [expect.stringContaining('"id"')], warnings: [] })
  })

  it('does not take a compiled manifest for a manifest', () => {
    const compiled = project.read('src/agentkit-tools.ts').replaceAll(".ts'", ".js'")
    project.write({ 'dist/agentkit-tools.js': compiled, 'dist/bare/agentkit-tools.js': 'import "./orders.js"' })
    const found = checkManifest({ cwd: project.folder }).map(({ file }) => file)
    rmSync(join(project.folder, 'dist'), { recursive: true })
    expect(found).toEqual(['src/agentkit-tools.ts'])
  })

  it('checks every manifest of a folder, by the patterns of each', () => {
    project.write({ 'src/other/pay.js': 'export function pay() {}' })
    buildManifest({ patterns: ['src/other/*.js'], cwd: project.folder })
    edit('src/agentkit-tools.ts', '"**/*.ts"', '"*.ts"')
    expect(checkManifest({ cwd: join(project.folder, 'src') })).toMatchObject([
      { file: 'agentkit-tools.ts', functions: 2, differences: [], command: "agentkit tools build '*.ts'" },
      { file: 'other/agentkit-tools.js', functions: 1, differences: [], command: "agentkit tools build 'other/*.js'" },
    ])
  })

  it('checks a manifest that is called otherwise, and names it in the command', () => {
    const out = "src/gen/it's.mjs"
    buildManifest({ patterns, cwd: project.folder, out })
    expect(checkManifest({ cwd: project.folder, out })).toMatchObject([
      { file: out, differences: [], command: "agentkit tools build 'src/**/*.ts' --out 'src/gen/it'\\''s.mjs'" },
    ])
  })

  it('uses the given patterns', () => {
    expect(checkManifest({ patterns, cwd: project.folder })).toMatchObject([{ differences: [] }])
    expect(checkManifest({ patterns: ['src'], cwd: project.folder })).toMatchObject([
      {
        differences: ['its patterns or its imports are not those that it would be written with'],
        command: 'agentkit tools build src',
      },
    ])
  })

  it('misses a manifest that was never built', () => {
    rmSync(join(project.folder, 'src/agentkit-tools.ts'))
    expect(checkManifest({ patterns, cwd: project.folder })).toMatchObject([{ differences: ['it does not exist'] }])
    expect(() => checkManifest({ cwd: project.folder })).toThrow('No agentkit-tools module is found in')
    expect(() => checkManifest({ cwd: project.folder, out: 'src/tools.ts' })).toThrow('src/tools.ts does not exist.')
  })

  it('does not pass over a manifest that lost its header', () => {
    edit('src/agentkit-tools.ts', '// agentkit-tools:', '// tools:')
    expect(() => checkManifest({ cwd: project.folder })).toThrow(
      'src/agentkit-tools.ts does not say in its first lines what it was built from.',
    )
  })

  it('sees a manifest that was renamed', () => {
    renameSync(join(project.folder, 'src/agentkit-tools.ts'), join(project.folder, 'src/tools.ts'))
    expect(checkManifest({ cwd: project.folder, out: 'src/tools.ts' })).toMatchObject([
      { differences: [expect.any(String)] },
    ])
  })
})
