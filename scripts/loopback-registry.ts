import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'
import tls from 'node:tls'
import { promisify } from 'node:util'

type Packed = { name: string; file: string; document: (url: string) => unknown }

/**
 * A package registry on loopback, which serves packed packages and passes everything else on to the registry that npm is
 * configured with. Package managers use it by `npm_config_registry`.
 *
 * @param tarballs the paths of packed packages
 */
export async function loopbackRegistry(tarballs: readonly string[]): Promise<{ url: string; close(): void }> {
  const upstream = (await run('npm', ['config', 'get', 'registry'])).trim().replace(/\/$/, '')
  await trustAsNpm()
  const packed = await Promise.all(tarballs.map(readPacked))
  let url = ''
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const ours = packed.find(({ name }) => name === path)
    const tarball = packed.find(({ file }) => path === `-/packed/${basename(file)}`)
    const answer = ours
      ? Promise.resolve(Buffer.from(JSON.stringify(ours.document(url))))
      : tarball
        ? readFile(tarball.file)
        : undefined
    const sent = answer ? answer.then((body) => response.end(body)) : passOn(`${upstream}${request.url}`, response)
    sent.catch((cause) => {
      const { message } = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
      const fix = 'Set NODE_EXTRA_CA_CERTS, or the `cafile` of npm, where its certificate is not known.'
      // A package manager tries again for minutes after a status from 500 on.
      response.writeHead(424, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: `The registry ${upstream} cannot be read: ${message}. ${fix}` }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // it listens
  return {
    url,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Requests of this process trust what npm trusts. */
async function trustAsNpm(): Promise<void> {
  const file = (await run('npm', ['config', 'get', 'cafile'])).trim()
  if (!['', 'null', 'undefined'].includes(file)) {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), await readFile(file, 'utf8')])
  }
}

async function readPacked(file: string): Promise<Packed> {
  const manifest = JSON.parse(await run('tar', ['-xzOf', file, 'package/package.json']))
  const bytes = await readFile(file)
  const { name, version } = manifest
  const document = (url: string): unknown => ({
    name,
    'dist-tags': { latest: version },
    // Yarn takes no version that is younger than some days.
    time: { [version]: '2026-01-01T00:00:00.000Z' },
    versions: {
      [version]: {
        ...manifest,
        dist: {
          tarball: `${url}/-/packed/${basename(file)}`,
          integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
          shasum: createHash('sha1').update(bytes).digest('hex'),
        },
      },
    },
  })
  return { name, file, document }
}

async function passOn(address: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(address)
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

async function run(program: string, words: readonly string[]): Promise<string> {
  const options = { maxBuffer: 32_000_000, shell: process.platform === 'win32' }
  return (await promisify(execFile)(program, [...words], options)).stdout
}
