// Builds the JavaScript of the package in the working directory: one file per entry point and command, which loads
// several times faster than a file per module. `tsc` writes the types. Imports of packages stay imports, except those of
// `bundled.json`: users do not install these, whose licences are beside the files.
import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { rolldown } from 'rolldown'
import bundled from './bundled.json' with { type: 'json' }

const {
  bin = {},
  devDependencies = {},
  exports,
  files = [],
  imports = {},
} = JSON.parse(readFileSync('package.json', 'utf8'))
const commands = Object.values(bin)
const sources = [
  ...Object.values({ ...exports, ...imports }).flatMap((entry) => entry['@agentkit/source'] ?? []),
  ...commands.map((file) => `src/${basename(file, '.js')}.ts`),
]

const bundle = await rolldown({
  input: Object.fromEntries(sources.map((source) => [basename(source, '.ts'), source])),
  external: (id) => /^[^./]/.test(id) && !bundled.includes(id),
  platform: 'node',
  tsconfig: 'tsconfig.json',
})
// Otherwise chunks of earlier builds would be published.
rmSync('dist/chunks', { recursive: true, force: true })
await bundle.write({ dir: 'dist', format: 'esm', sourcemap: true, chunkFileNames: 'chunks/[name]-[hash].js' })
await bundle.close()
const { resolve } = createRequire(`${process.cwd()}/package.json`)
for (const name of bundled.filter((name) => name in devDependencies)) {
  copyFileSync(resolve(`${name}/package.json`).replace(/package\.json$/, 'LICENSE'), `dist/${name}.notice.txt`)
}
for (const file of commands) chmodSync(file, 0o755)
if (files.includes('docs')) await import('./copy-guides.mjs')
if (imports['#swagger-ui']) await import('./embed-swagger-ui.mjs')
if (imports['#page']) {
  const { buildPage } = await import('./build-page.mjs')
  process.exitCode = (await buildPage()) === 0 ? 0 : 1
}
