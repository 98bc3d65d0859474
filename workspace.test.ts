import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { derivedFiles } from './scripts/derive.ts'
import {
  codeFiles,
  exists,
  isTest,
  type Manifest,
  type Module,
  type Package,
  packageNameOf,
  readJson,
  readModule,
  readPackages,
  readText,
  textFiles,
} from './scripts/workspace-files.ts'

const everything = readPackages()
const packages = everything.filter(({ folder }) => folder.startsWith('packages/'))
const names = everything.map(({ manifest }) => manifest.name)

describe('import direction', () => {
  const core = '@agentkit/core'
  const directions: { of: RegExp; to: (name: string) => boolean; rule: string }[] = [
    { of: /^packages\/core$/, to: () => false, rule: 'core imports nothing of the workspace' },
    { of: /^packages\/wire$/, to: (name) => name === core, rule: 'wire imports core alone' },
    {
      of: /^packages\/providers-/,
      to: (name) => name === core || name === '@agentkit/wire',
      rule: 'a provider imports wire and core, never another provider: to install one is to install one',
    },
    {
      of: /^packages\/ai-sdk$/,
      to: (name) => name === core || name === '@agentkit/wire',
      rule: 'ai-sdk imports wire and core, as a provider does: it makes models',
    },
    {
      of: /^packages\/server$/,
      to: (name) => name === core,
      rule: 'the server imports core alone: it is given an agent and a session store',
    },
    {
      of: /^packages\/(sessions(?:-\w+)?|queue-postgres|retriever|functions|mcp|skills|telemetry|testing)$/,
      to: (name) => name === core,
      rule: 'sessions, queue-postgres, retriever, functions, mcp, skills, telemetry and testing import core alone',
    },
    {
      of: /^packages\/memory$/,
      to: (name) => name === core || name === '@agentkit/retriever',
      rule: "memory imports core, and the retriever's index of words",
    },
    {
      of: /^packages\/evals$/,
      to: (name) => name === core || name === '@agentkit/testing',
      rule: 'evals import core, and testing, which records and replays models',
    },
    {
      of: /^packages\/agentkit$/,
      to: (name) => name !== '@agentkit/example',
      rule: 'agentkit recombines what people run, and no app',
    },
    {
      of: /^apps\/next-chat$/,
      to: (name) => name === 'agentkit' || name === '@agentkit/server',
      rule: 'an app that mounts an agent imports its routes from the server',
    },
    {
      of: /^apps\/playground$/,
      to: (name) => name === core || name === '@agentkit/testing',
      rule: 'the page imports the types of events from core, and the reader of cassettes',
    },
    { of: /^apps\//, to: (name) => name === 'agentkit', rule: 'apps import agentkit, as users do' },
  ]

  it.each(everything)('of $folder is the agreed one', ({ folder, manifest, sources }) => {
    const direction = directions.find(({ of }) => of.test(folder))
    expect(direction, `${folder} has no rule: add one here`).toBeDefined()

    const used = [
      ...Object.keys(runtimeDependencies(manifest)).map((name) => ({ path: `${folder}/package.json`, name })),
      ...sources.flatMap(({ path, imports }) => imports.map(({ from }) => ({ path, name: packageNameOf(from) ?? '' }))),
    ]
    const wrong = used.filter(({ name }) => names.includes(name) && name !== manifest.name && !direction?.to(name))
    expect(wrong, direction?.rule).toEqual([])
  })

  it('never leaves a package by a relative path', () => {
    const leaving = everything.flatMap(({ folder }) =>
      codeFiles()
        .filter((path) => path.startsWith(`${folder}/`))
        .flatMap((path) =>
          readModule(path)
            .imports.map(({ from }) => from)
            .filter((from) => from.startsWith('.'))
            .map((from) => posix.join(posix.dirname(path), from))
            .filter((target) => !target.startsWith(`${folder}/`))
            .map((target) => `${path} → ${target}`),
        ),
    )
    expect(leaving, 'import the other package by its name').toEqual([])
  })

  it('of agentkit to providers, retriever and test doubles is lazy: one is loaded when a model, `retrieve` or a command needs it', () => {
    const eager = packages
      .filter(({ manifest }) => manifest.name === 'agentkit')
      .flatMap(({ sources }) => sources)
      .flatMap(({ path, imports }) => imports.map((entry) => ({ path, ...entry })))
      .filter(
        ({ from, how }) =>
          /^@agentkit\/(evals|memory|providers-|testing|retriever|queue-postgres)/.test(from) && how === 'static',
      )
    expect(eager, 'write await import(…), or import type').toEqual([])
  })
})

describe('@agentkit/core/internal', () => {
  it('is imported by no app and shown in no documentation: it follows no semver', () => {
    const files = textFiles().filter((path) => /^(apps|docs)\/|README\.md$/.test(path))
    expect(files.filter((path) => importsInternal(readText(path)))).toEqual([])
  })

  it.each([
    "import { sleep } from '@agentkit/core/internal'",
    'const { sleep } = await import("@agentkit/core/internal")',
    "import '@agentkit/core/internal'",
  ])('is found in %s', (text) => {
    expect(importsInternal(`import { Agent } from '@agentkit/core'\n${text}\n`)).toBe(true)
  })

  it('is not detected in a sentence that names it, nor in an import of core', () => {
    expect(importsInternal("`@agentkit/core/internal` is for agentkit.\nimport { Agent } from '@agentkit/core'")).toBe(
      false,
    )
  })
})

describe('rooms: the folders of a package or an app, whose table in docs/architecture.md has the allowed imports', () => {
  const withRooms = everything.filter(({ folder }) => /^(?:packages|apps)\//.test(folder))
  const tables = readRooms()
  const modules = codeFiles()
    .filter((path) => /^(?:packages|apps)\/[\w-]+\/src\//.test(path))
    .map(readModule)
  const paths = new Set(modules.map(({ path }) => path))
  const importsOf = new Map(modules.map((module) => [module.path, relativeImports(module, paths)]))

  it.each(withRooms)('of $folder have a table where it has more than 25 files', ({ folder, sources }) => {
    if (sources.length > 25) expect([...tables.keys()]).toContain(folder)
  })

  it.each([...tables])('of %s are the existing folders', (folder, rooms) => {
    const folders = new Set([...paths].filter((path) => path.startsWith(`${folder}/src/`)).map(roomOf))
    folders.delete('')
    expect([...rooms.keys()].sort()).toEqual([...folders].sort())
  })

  it.each([...tables])('of %s import by value and by type only rooms that their table allows', (folder, rooms) => {
    const wrong = [...importsOf]
      .filter(([path]) => path.startsWith(`${folder}/src/`) && !isTest(path))
      .flatMap(([path, targets]) => targets.map((target) => ({ path, target })))
      .filter(({ path, target }) => {
        const [room, other] = [roomOf(path), roomOf(target)]
        const isShared = other === '' && target.endsWith('/limits.ts')
        return room !== '' && room !== other && !isShared && !rooms.get(room)?.includes(other)
      })
    expect(wrong.map(({ path, target }) => `${path} → ${target}`)).toEqual([])
  })

  it('allow no imports from below in the table', () => {
    for (const [folder, rooms] of tables) {
      const names = [...rooms.keys()]
      const upward = names.flatMap((room, index) =>
        (rooms.get(room) ?? [])
          .filter((other) => !names.slice(0, index).includes(other))
          .map((other) => `${room} → ${other}`),
      )
      expect(upward, folder).toEqual([])
    }
  })

  it('have no files that import each other in a circle, tests and fixtures included', () => {
    const circles = circlesOf(importsOf)
    expect(circles).toEqual([])
  })
})

describe('dependencies', () => {
  it.each(everything)('of $folder match the imports of its sources', ({ folder, manifest, sources }) => {
    const imported = new Set(sources.flatMap(({ imports }) => imports.map(({ from }) => packageNameOf(from))))
    imported.delete(undefined)
    imported.delete(manifest.name)
    const named = new Set(sources.flatMap(({ strings }) => [...strings]))
    const { devDependencies = {} } = readJson<{ devDependencies?: object }>(`${folder}/package.json`)
    const own = readJson<string[]>('scripts/bundled.json').filter((name) => name in devDependencies)
    const declared = [...Object.keys(runtimeDependencies(manifest)), ...own]

    expect(
      [...imported].filter((name) => !declared.includes(name ?? '')),
      `${folder}/package.json must declare what is imported`,
    ).toEqual([])
    expect(
      declared.filter(
        (name) => !imported.has(name) && !named.has(name) && !(name === 'react-dom' && imported.has('next')),
      ),
      `${folder}/package.json declares what nothing imports`,
    ).toEqual([])
  })

  it('of the app on Next are no part of the install of this repository', () => {
    expect(readText('pnpm-workspace.yaml')).toMatch(/^ {2}- "!apps\/next-chat"/m)
    expect(readText('pnpm-lock.yaml')).not.toContain('apps/next-chat')
  })

  it('and providers match the derived files (`npm run derive` after a change)', () => {
    for (const [path, text] of derivedFiles()) expect(readText(path), `${path}: run \`npm run derive\``).toBe(text)
  })

  it('on each other are published as ranges', () => {
    for (const { folder, manifest } of packages) {
      const ranges = Object.entries(runtimeDependencies(manifest)).filter(([name]) => names.includes(name))
      expect(ranges, folder).toEqual(ranges.map(([name]) => [name, 'workspace:^']))
    }
  })
})

describe('every package', () => {
  it.each(packages)('$folder has the common structure', ({ folder, manifest }) => {
    // Only these entry points have side effects: a load hook, and matchers.
    const effects = ['register', 'vitest'].filter((name) => exists(`${folder}/src/${name}.ts`))
    expect(manifest).toMatchObject({
      name: folder === 'packages/agentkit' ? 'agentkit' : folder.replace('packages/', '@agentkit/'),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/^[A-Z].+\.$/),
      license: 'MIT',
      type: 'module',
      sideEffects: effects.length > 0 && effects.flatMap((name) => [`./dist/${name}.js`, `./src/${name}.ts`]),
      engines: { node: '>=22.18' },
      publishConfig: { access: 'public', provenance: true },
      files: [
        'dist',
        '!dist/.tsbuildinfo',
        ...(folder === 'packages/server' ? ['assets'] : []),
        ...(folder === 'packages/agentkit' ? ['docs'] : []),
        'src',
        '!src/**/*.test.ts',
        '!src/**/__fixtures__',
      ],
      scripts: {
        build: 'tsc -b && node ../../scripts/bundle.mjs',
        'check:package': 'publint --strict && attw --pack . --profile esm-only',
      },
    })
    expect(exists(`${folder}/README.md`), `${folder} needs a README.md`).toBe(true)

    const { references: _, ...config } = readJson<Record<string, unknown>>(`${folder}/tsconfig.json`)
    const { references: __, ...coreConfig } = readJson<Record<string, unknown>>('packages/core/tsconfig.json')
    // A package includes no JSON files, except those that it imports by name.
    const models = exists(`${folder}/src/models.json`) ? ['src/models.json'] : []
    expect(config).toEqual({ ...coreConfig, include: ['src', ...models] })
  })

  it.each(packages)('$folder exports sources to the workspace, types and built files to users', (aPackage) => {
    const { './package.json': itself, ...entryPoints } = aPackage.manifest.exports ?? {}
    expect(itself).toBe('./package.json')
    for (const [entryPoint, conditions] of Object.entries(entryPoints)) {
      const name = entryPoint === '.' ? 'index' : entryPoint.slice('./'.length)
      // Node uses the first condition that matches, so the order matters.
      expect(JSON.stringify(conditions)).toBe(
        JSON.stringify({
          '@agentkit/source': `./src/${name}.ts`,
          types: `./dist/${name}.d.ts`,
          default: `./dist/${name}.js`,
        }),
      )
      expect(exists(`${aPackage.folder}/src/${name}.ts`), `${aPackage.folder}/src/${name}.ts`).toBe(true)
    }
  })

  it('keeps its public names (public-names.txt: `npm test -- workspace --update` after a change)', async () => {
    await expect(packages.map(publicNames).join('\n')).toMatchFileSnapshot('public-names.txt')
  })
})

describe('every file', () => {
  const modules = codeFiles().map(readModule)

  it('restores the globals, variables and timers that it replaces: the files of a worker share them', () => {
    const tests = codeFiles().filter((path) => /\.test\.tsx?$/.test(path))
    const undone = [
      { replaces: /\bvi\.stubGlobal\(/, restores: /\bvi\.unstubAllGlobals\b/ },
      { replaces: /\bvi\.stubEnv\(/, restores: /\bvi\.unstubAllEnvs\b|\buseFolder\(/ },
      { replaces: /\bvi\.useFakeTimers\(/, restores: /\bvi\.useRealTimers\b/ },
    ]
    // It has the text of a test, which a process of its own runs.
    const excepted = 'packages/agentkit/src/config/project-tests.test.ts'
    const left = tests.filter((path) => {
      const text = readText(path)
      return undone.some(({ replaces, restores }) => replaces.test(text) && !restores.test(text))
    })
    expect(left.filter((path) => path !== excepted)).toEqual([])
  })

  it('mocks no module in a test, except those of the page that need a browser', () => {
    const needBrowser = ['apps/playground/src/text/t.ts', 'apps/playground/src/markdown/sanitize.ts']
    const mocked = codeFiles().flatMap((path) =>
      [...readText(path).matchAll(/\bvi\.(?:mock|doMock)\('([^']+)'/g)].map(([, module = '']) =>
        posix.join(posix.dirname(path), module),
      ),
    )
    expect(mocked.filter((module) => !needBrowser.includes(module))).toEqual([])
  })

  it('exports each thing by its name', () => {
    // Vite, VitePress, vitest and its reporters require default exports, and so do runtimes and `agentkit eval`; fixtures are users' code.
    const excepted = (path: string) =>
      path.endsWith('.config.ts') ||
      path === 'scripts/count-reporter.mjs' ||
      path === 'docs/.vitepress/config.ts' ||
      path === 'docs/.vitepress/theme/index.ts' ||
      /^docs\/examples\/(?:deploy\/(?:bun|deno|worker)|support-eval)\.ts$/.test(path) ||
      /^apps\/next-chat\/src\/app\/(?:layout|page)\.tsx$/.test(path) ||
      path.includes('/__fixtures__/')
    const nameless = modules.filter(({ path, exports }) =>
      exports.some(({ isStar, isDefault }) => isStar || (isDefault && !excepted(path))),
    )
    expect(nameless.map(({ path }) => path)).toEqual([])
  })

  it('of source has at most 400 lines (above 250, consider two files)', () => {
    const long = modules
      .filter(({ path }) => !isTest(path))
      .map(({ path }) => `${path}: ${readText(path).trimEnd().split('\n').length}`)
      .filter((entry) => Number(entry.split(': ')[1]) > 400)
    expect(long).toEqual([])
  })

  it('gives SQLite no numbered parameter, which Node 22.18 cannot bind: `:name`, or `?` for each', () => {
    const numbered = modules
      .filter(({ path }) => /sqlite|\.prepare\(/.test(`${path} ${readText(path)}`))
      .flatMap(({ path }) =>
        readText(path)
          .split('\n')
          .flatMap((line, index) => (/[=(,+-] \?\d|\(\?\d/.test(line) ? [`${path}:${index + 1}`] : [])),
      )
    expect(numbered).toEqual([])
  })

  it.each([
    ['a path of one machine', /(?<![\w.])\/(?:work|root)\/|[A-Z]:\\Users\\/],
    ['a folder outside of the repository', new RegExp(`\\.\\./${'shared'}|/${'shared'}/`)],
    ['the host of a package registry', new RegExp(`registry\\.(?:npmjs|yarnpkg)|${'npm'}\\.pkg\\.github`)],
  ])('is free of %s', (_, pattern) => {
    const found = textFiles().flatMap((path) =>
      readText(path)
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
    )
    expect(found).toEqual([])
  })
})

describe('an object of a run', () => {
  // A hidden class of its own would keep the run in memory: see the decision of 2026-11-24 on accessors.
  const rooms = ['conversation', 'loop', 'policies', 'runs', 'sessions', 'swarm', 'workflows']
  const files = codeFiles().filter((file) => rooms.some((room) => file.startsWith(`packages/core/src/${room}/`)))

  it('has no accessor of its own', () => {
    const isAccessor = (line: string): boolean => /^\s+(?:get|set) \w+\(/.test(line)
    const isInClass = (line: string): boolean => /^ {2}\w/.test(line)
    const accessors = files
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        readText(file)
          .split('\n')
          .map((line) => ({ file, line })),
      )
      .filter(({ line }) => isAccessor(line) && !isInClass(line))
    expect(accessors).toEqual([])
  })
})

describe('the toolchain', () => {
  const manifest = readJson<Manifest & { packageManager: string; devDependencies: Record<string, string> }>(
    'package.json',
  )
  const workspace = readText('pnpm-workspace.yaml')
  const lockfile = readText('pnpm-lock.yaml')

  it('runs no install script of a package, including that of protobufjs', () => {
    expect(workspace).toMatch(/^onlyBuiltDependencies: \[\]$/m)
    expect(workspace).toMatch(/^ignoredBuiltDependencies:\n {2}- protobufjs\b/m)
    expect(JSON.stringify(manifest)).not.toMatch(/onlyBuiltDependencies|dangerouslyAllowAllBuilds/)
  })

  it('installs versions that are at least a week old, without exceptions', () => {
    expect(workspace).toMatch(/^minimumReleaseAge: 10080$/m)
    expect(workspace).not.toContain('minimumReleaseAgeExclude')
  })

  it('has the integrity hash of its Node in the lockfile, for each platform', () => {
    const nodes = Object.entries(manifest.optionalDependencies ?? {})
    const platform = process.platform === 'win32' ? 'win' : process.platform
    expect(nodes.map(([name]) => name)).toContain(`node-${platform}-${process.arch}`)
    for (const [name, version] of nodes) {
      const locked = version.startsWith('npm:') ? version.slice('npm:'.length) : `${name}@${version}`
      expect(lockfile).toContain(`\n  ${locked}:\n    resolution: {integrity: sha512-`)
    }
  })

  it('has one pnpm: the pinned one, which turbo also finds in node_modules', () => {
    expect(manifest.packageManager).toBe(`pnpm@${manifest.devDependencies.pnpm}`)
  })

  it('runs on Node 22.18 or newer, and in CI on the exact version of the job', () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    expect(major * 100 + minor).toBeGreaterThanOrEqual(2218)
    // Set for every Node of the matrix, so that no job silently tests another version.
    const expected = process.env.EXPECTED_NODE ?? `${major}`
    expect(`${process.versions.node}.`.startsWith(`${expected}.`), `${process.version} is not ${expected}`).toBe(true)
  })
})

describe('the release workflow', () => {
  const workflow = readText('.github/workflows/release.yml')
  const jobs = workflow
    .slice(workflow.indexOf('\njobs:\n'))
    .split(/\n(?= {2}\w+:\n)/)
    .slice(1)
  const named = (name: string) => jobs.filter((job) => job.startsWith(`  ${name}:`))

  it('publishes with the identity of one job, which runs no tests and has no other write access', () => {
    const publishing = jobs.filter((job) => job.includes('id-token'))
    expect(publishing).toEqual(named('publish'))
    expect(publishing.join()).not.toMatch(/\.ci\/run|\btest\b|secrets\.|: write(?! # who publishes)/)
    expect(readText('packages/core/package.json')).toContain('"provenance": true')
  })

  it('runs the tests before that, in a job with read access only', () => {
    expect(named('test').join()).toMatch(/permissions:\n {6}contents: read\n {4}steps[\s\S]*run: \.ci\/run/)
    expect(named('version').join()).toContain('needs: test\n')
    expect(named('publish').join()).toContain('needs: version\n')
  })

  it('has no registry token', () => {
    expect([...workflow.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name)).toEqual(['GITHUB_TOKEN', 'GITHUB_TOKEN'])
  })
})

function importsInternal(text: string): boolean {
  return /['"]@agentkit\/core\/internal['"]/.test(text)
}

/** `packages/core/src/loop/run-agent.ts` → `loop`; fixtures are no room. */
function roomOf(path: string): string {
  const inside = path.split('/src/')[1] ?? ''
  return posix.dirname(inside).replace(/(^|\/)(__fixtures__.*)?$|^\.$/, '')
}

/** The tables of rooms in docs/architecture.md: package → room → the rooms that it may import. */
function readRooms(): Map<string, Map<string, string[]>> {
  const sections = readText('docs/architecture.md').split(/^### `((?:packages|apps)\/[\w-]+)`.*$/m)
  const tables = new Map<string, Map<string, string[]>>()
  for (let index = 1; index < sections.length; index += 2) {
    const rooms = new Map<string, string[]>()
    const rows = (sections[index + 1] ?? '').split(/^##? /m)[0]?.matchAll(/^\| `([\w/-]+)\/` \| (.+) \| (.+) \|$/gm)
    for (const [, room = '', purpose = '', allowed = ''] of rows ?? []) {
      expect(purpose.length, `${room} needs a purpose`).toBeGreaterThan(10)
      rooms.set(room, allowedRooms(allowed, [...rooms.keys()]))
    }
    tables.set(sections[index] ?? '', rooms)
  }
  return tables
}

/** `–`, `data util/*`, `all above` or `all above but tokens conversation`. */
function allowedRooms(text: string, above: string[]): string[] {
  if (text === '–') return []
  const [, but] = /^all above(?: but (.+))?$/.exec(text) ?? []
  const named = (rooms: string): string[] => rooms.split(' ').flatMap((room) => roomsNamed(room, above))
  if (!text.startsWith('all above')) return named(text)
  const excepted = but === undefined ? [] : named(but)
  expect(above, `of "${text}"`).toEqual(expect.arrayContaining(excepted))
  return above.filter((room) => !excepted.includes(room))
}

/** `util/*` is every room below `util/`. */
function roomsNamed(room: string, above: string[]): string[] {
  return room.endsWith('/*') ? above.filter((other) => other.startsWith(room.slice(0, -1))) : [room]
}

function relativeImports({ path, imports }: Module, paths: ReadonlySet<string>): string[] {
  return imports
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => posix.join(posix.dirname(path), from))
    .filter((target) => paths.has(target))
}

/** The groups of files that import each other directly or indirectly (Tarjan's strongly connected components). */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []

  function visit(path: string): void {
    const index = order.size
    order.set(path, index)
    lowest.set(path, index)
    open.push(path)
    for (const target of graph.get(path) ?? []) {
      if (!order.has(target)) visit(target)
      else if (!open.includes(target)) continue
      lowest.set(path, Math.min(lowest.get(path) ?? index, lowest.get(target) ?? index))
    }
    if (lowest.get(path) === index) {
      const group = open.splice(open.indexOf(path))
      if (group.length > 1 || graph.get(path)?.includes(path)) circles.push(group.sort())
    }
  }
  for (const path of graph.keys()) if (!order.has(path)) visit(path)
  return circles
}

function runtimeDependencies(manifest: Manifest): Record<string, string> {
  return { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies }
}

function publicNames({ folder, manifest }: Package): string {
  const entryPoints = Object.entries(manifest.exports ?? {}).flatMap(([entryPoint, conditions]) =>
    typeof conditions === 'string' ? [] : [{ entryPoint, source: conditions['@agentkit/source'] ?? '' }],
  )
  return entryPoints
    .map(({ entryPoint, source }) => {
      const { exports } = readModule(posix.join(folder, source))
      const lines = exports.map(({ name, isType }) => (isType ? `  type ${name}` : `  ${name}`))
      return [posix.join(manifest.name, entryPoint), ...lines.sort(), ''].join('\n')
    })
    .join('\n')
}
