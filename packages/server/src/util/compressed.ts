import type { ServerContext } from './server-env.ts'

/** Answers with content that is compressed by gzip, decompressed for a client without gzip. */
export function compressed(
  context: ServerContext,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Response {
  const all = { vary: 'accept-encoding', ...headers }
  const accepts = /\bgzip\b(?! *; *q=0(?![.\d]*[1-9]))/.test(context.req.header('accept-encoding') ?? '')
  if (accepts && !isCompressedByRuntime()) return context.body(bytes, 200, { ...all, 'content-encoding': 'gzip' })
  return context.body(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), 200, all)
}

/** workerd compresses a body with `Content-Encoding: gzip`, also one that is compressed already. */
function isCompressedByRuntime(): boolean {
  return globalThis.navigator?.userAgent === 'Cloudflare-Workers'
}
