// Builds the JavaScript of the package in the working directory: one file per entry point and command, which loads
// several times faster than a file per module. `tsc` writes the types. Imports of packages stay imports, except those of
// `bundled.json`: users do not install these, whose licences are beside the files.
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import bundled from './bundled.json' with { type: 'json' }

const {
  bin = {},
  devDependencies = {},
  exports,
  files = [],
  imports = {},
  name,
  version,
} = JSON.parse(readFileSync('package.json', 'utf8'))
const commands = Object.values(bin)
const commandSources = commands.map((file) => `src/${basename(file, '.js')}.ts`)
/** The sources by the names of the files that the manifest says. */
const sources = Object.fromEntries([
  ...Object.values({ ...exports, ...imports }).flatMap((entry) => {
    const { '@agentkit/source': source, default: file } = entry
    return source === undefined ? [] : [[file.replace(/^\.\/dist\/|\.js$/g, ''), source]]
  }),
  ...commandSources.map((source) => [basename(source, '.ts'), source]),
])

// The modules of a package that every agent loads form one file beside the entry, although other entries share parts of
// them.
const loadedByAgents = { agentkit: 'src/index.ts', '@agentkit/sessions': 'src/sqlite/internal.ts' }[name]
const together = new Set()
const bundle = await rolldown({
  input: sources,
  external: (id) => /^[^./]/.test(id) && !bundled.includes(id),
  platform: 'node',
  tsconfig: 'tsconfig.json',
  // Needed for a group without what it imports. An entry is then a file beside the chunks, which exports the same.
  ...(loadedByAgents && { preserveEntrySignatures: 'allow-extension' }),
  plugins: [
    { name: 'builtin-modules', transform: { filter: { id: /\.cjs$/ }, handler: withoutRequire } },
    { name: 'own-version', transform: { filter: { code: `('${name}/package.json')` }, handler: withVersion } },
    { name: 'together', buildEnd: findTogether },
  ],
})
// Otherwise chunks of earlier builds would be published.
rmSync('dist/chunks', { recursive: true, force: true })
await bundle.write({
  dir: 'dist',
  format: 'esm',
  sourcemap: true,
  chunkFileNames: 'chunks/[name]-[hash].js',
  // With one character beyond Latin-1, V8 keeps a file as two bytes per character, and compiles it more slowly.
  charset: 'ascii',
  // The docstrings are in the types.
  comments: { legal: true, annotation: true, jsdoc: false },
  ...(loadedByAgents && {
    codeSplitting: {
      groups: [{ name: 'agents', test: (id) => together.has(id), includeDependenciesRecursively: false }],
    },
  }),
})
await bundle.close()
for (const part of bundled.filter((each) => each in devDependencies)) {
  copyFileSync(join(folderOf(part), 'LICENSE'), `dist/${part}.notice.txt`)
}
for (const file of commands) chmodSync(file, 0o755)
if (files.includes('docs')) await import('./copy-guides.mjs')
if (imports['#swagger-ui']) await import('./embed-swagger-ui.mjs')
if (imports['#page']) {
  const { buildPage } = await import('./build-page.mjs')
  process.exitCode = (await buildPage()) === 0 ? 0 : 1
}

/** Code that has the version of its package, instead of reading it from a package.json that a bundle does not have. */
function withVersion(source) {
  const code = source.replace(`createRequire(import.meta.url)('${name}/package.json')`, JSON.stringify({ version }))
  return { code, map: null }
}

/** CommonJS without `require` of Node's modules, for which there would be `createRequire`, that webpack removes. */
function withoutRequire(source) {
  const code = source.replaceAll(/\brequire\(("[\w:/]+")\)/g, (call, name) =>
    isBuiltin(JSON.parse(name)) ? `process.getBuiltinModule(${name})` : call,
  )
  return { code, map: null }
}

/** All that the entry imports but for what commands start with. */
function findTogether() {
  if (!loadedByAgents) return
  const loadedWith = (source) => {
    const found = new Set([resolve(source)])
    for (const id of found) for (const next of this.getModuleInfo(id)?.importedIds ?? []) found.add(next)
    return found
  }
  const ofCommands = commandSources.map(loadedWith)
  for (const id of loadedWith(loadedByAgents)) if (!ofCommands.some((found) => found.has(id))) together.add(id)
}

/** The folder of an installed package, which may not export its `package.json`. */
function folderOf(part) {
  const { resolve } = createRequire(`${process.cwd()}/package.json`)
  let folder = dirname(resolve(part))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}
