import { join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'

/** Bundles a Worker as wrangler does: for `workerd`, with Node's modules left to `nodejs_compat`. */
export async function bundleWorker(entry: string): Promise<{ code: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['@agentkit/source', 'workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*'],
    plugins: [nodeModules],
    logLevel: 'error',
  })
  const [output] = outputFiles
  if (!output) throw new Error('esbuild has written nothing.')
  return { code: output.text, metafile }
}

/** CommonJS that requires a module of Node, such as busboy, gets the import of it, as in wrangler. */
const nodeModules: Plugin = {
  name: 'node-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:assert|buffer|crypto|events|http|https|path|stream|url|util|zlib)$/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'required' } : { path: `node:${path}`, external: true },
    )
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import all from 'node:${path}'\nmodule.exports = all`,
      resolveDir: join(import.meta.dirname, '..'),
    }))
  },
}
