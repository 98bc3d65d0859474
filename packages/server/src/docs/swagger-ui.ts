// Swagger UI from its package, which only this repository installs. `scripts/embed-swagger-ui.mjs` replaces this module in
// the published package by one that has the files in it, for apps that are bundled and have no files beside them.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'

const { resolve } = createRequire(import.meta.url)

/** A file of Swagger UI, compressed by gzip. */
export async function swaggerUI(name: 'swagger-ui-bundle.js' | 'swagger-ui.css'): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(gzipSync(await readFile(resolve(`swagger-ui-dist/${name}`))))
}
