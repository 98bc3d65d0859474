import { readFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build as esbuild } from 'esbuild'
import { type Plugin, rollup } from 'rollup'
import { createLogger, build as vite } from 'vite'
import webpack from 'webpack'
import { type AgentkitToolsOptions, agentkitTools } from '../../unplugin.ts'

export type Build = { entry: string; folder: string; tools: AgentkitToolsOptions }

/** Writes `main.mjs` into the folder, with a source map, and gives the warnings. Throws what fails a build. */
export type Bundler = (build: Build) => Promise<string[]>

const conditions = ['@agentkit/source']

/** Packages that core loads for schemas and schedules, which no fixture has. The published core contains croner. */
const notNeeded = ['zod', 'zod/v4', 'zod-to-json-schema', '@valibot/to-json-schema', 'croner']

export const bundlers: Record<'rollup' | 'vite' | 'esbuild' | 'webpack', Bundler> = {
  async rollup({ entry, folder, tools }) {
    const warnings: string[] = []
    const built = await rollup({
      input: entry,
      external: [/^node:/, ...notNeeded],
      plugins: [agentkitTools.rollup(tools), stripTypes],
      onwarn: ({ message }) => warnings.push(message),
    })
    await built.write({ dir: folder, entryFileNames: 'main.mjs', format: 'es', sourcemap: true })
    await built.close()
    return warnings
  },

  async vite({ entry, folder, tools }) {
    const warnings: string[] = []
    const logger = createLogger('warn')
    logger.warn = (message) => void warnings.push(message)
    logger.warnOnce = logger.warn
    logger.error = () => {}
    await vite({
      configFile: false,
      customLogger: logger,
      logLevel: 'warn',
      root: dirname(entry),
      plugins: [agentkitTools.vite(tools)],
      ssr: { noExternal: true, external: notNeeded, resolve: { conditions } },
      build: {
        ssr: entry,
        outDir: folder,
        emptyOutDir: false,
        sourcemap: true,
        target: 'esnext',
        rolldownOptions: { output: { entryFileNames: 'main.mjs' } },
      },
    })
    return warnings
  },

  async esbuild({ entry, folder, tools }) {
    const { warnings } = await esbuild({
      entryPoints: [entry],
      outfile: join(folder, 'main.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions,
      external: notNeeded,
      sourcemap: true,
      logLevel: 'silent',
      plugins: [agentkitTools.esbuild(tools)],
    })
    return warnings.map(({ text }) => text)
  },

  async webpack({ entry, folder, tools }) {
    const compiler = webpack({
      mode: 'production',
      target: 'node22',
      context: dirname(entry),
      entry,
      devtool: 'source-map',
      optimization: { minimize: false },
      externalsType: 'module',
      externals: notNeeded,
      experiments: { outputModule: true },
      output: { path: folder, filename: 'main.mjs', chunkFilename: '[id].mjs', module: true, chunkFormat: 'module' },
      resolve: { conditionNames: [...conditions, '...'] },
      module: {
        rules: [{ test: /\.m?ts$/, loader: fileURLToPath(new URL('strip-types-loader.cjs', import.meta.url)) }],
      },
      plugins: [agentkitTools.webpack(tools)],
    })
    if (!compiler) throw new Error('webpack gave no compiler.')
    const stats = await promisify(compiler.run.bind(compiler))()
    await promisify(compiler.close.bind(compiler))()
    const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {}
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'))
    return warnings.map(({ message }) => message)
  },
}

/** Rollup alone reads no TypeScript and finds no package. */
const stripTypes: Plugin = {
  name: 'strip-types',
  resolveId(source, importer) {
    if (source.startsWith('@agentkit/core')) return fileURLToPath(import.meta.resolve(source))
    if (source !== '@cfworker/json-schema' || !importer) return null
    const manifest = createRequire(importer).resolve(`${source}/package.json`)
    return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).module)
  },
  transform: (code, id) => (/\.m?ts$/.test(id) ? { code: stripTypeScriptTypes(code), map: null } : null),
}
