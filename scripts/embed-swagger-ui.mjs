// Replaces `dist/swagger-ui.js` of the server, which reads two files of a package that users do not install, by a module
// that has them in it.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'

const { resolve } = createRequire(`${process.cwd()}/package.json`)
const files = ['swagger-ui-bundle.js', 'swagger-ui.css'].map((name) => {
  const bytes = gzipSync(readFileSync(resolve(`swagger-ui-dist/${name}`)), { level: 9 })
  return `  '${name}': '${bytes.toString('base64')}',\n`
})
writeFileSync(
  'dist/swagger-ui.js',
  `// Files of Swagger UI (Apache-2.0, see swagger-ui.notice.txt), by gzip and base64.
import { Buffer } from 'node:buffer'

const files = {
${files.join('')}}

export const swaggerUI = async (name) => new Uint8Array(Buffer.from(files[name], 'base64'))
`,
)
rmSync('dist/swagger-ui.js.map', { force: true })
copyFileSync(resolve('swagger-ui-dist/LICENSE'), 'dist/swagger-ui.notice.txt')
