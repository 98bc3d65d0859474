import type { Finding } from '@agentkit/core/internal'
import { limits } from './limits.ts'
import type { Env } from './number-variables.ts'
import { exporters, exportsOf, type Signal, settingsOf } from './otlp.ts'
import { type Encoding, requirePeer } from './require-peer.ts'

/**
 * Whether the endpoints over OTLP take exports: each is sent an empty one, which changes nothing.
 *
 * @param options.isOffline sends nothing, and checks variables and packages alone
 * @throws AgentKitError `invalid-config` for a variable that cannot be used, `missing-package`
 */
export async function inspectOtlp(
  env: Env,
  { isOffline, signal }: { isOffline: boolean; signal: AbortSignal },
): Promise<Finding[]> {
  const exports = Object.entries(exportsOf(env)) as [Signal, Encoding][] // its keys are the signals
  if (exports.length === 0) return [{ status: 'skipped', detail: 'The variables of OTEL turn it off.' }]
  for (const [name, encoding] of exports) {
    settingsOf[name](env, encoding)
    requirePeer(exporters[encoding][name], encoding)
  }
  if (isOffline) return [{ status: 'skipped', detail: 'The endpoint was not asked, because of --offline.' }]
  return Promise.all(exports.map(([name, encoding]) => probe(name, encoding, env, signal)))
}

async function probe(name: Signal, encoding: Encoding, env: Env, signal: AbortSignal): Promise<Finding> {
  const endpoint = endpointOf(name, env)
  // A query or a user may be a secret.
  const shown = `${endpoint.origin}${endpoint.pathname}`
  const fix = 'Set OTEL_EXPORTER_OTLP_ENDPOINT, or start the collector: it listens for HTTP on port 4318.'
  const headers = new Headers(userHeader(endpoint))
  for (const [header, value] of Object.entries(headersOf(name, env))) headers.set(header, value)
  headers.set('content-type', encoding === 'proto' ? 'application/x-protobuf' : 'application/json')
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: encoding === 'proto' ? new Uint8Array() : '{}',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(limits.probeMs)]),
    })
    await response.body?.cancel()
    const { status } = response
    if (response.ok) return { status: 'ok', detail: `${shown} takes ${name}.` }
    if (status === 401 || status === 403) {
      const detail = `${shown} refuses ${name} (HTTP ${status}).`
      return { status: 'fail', detail, fix: 'Set OTEL_EXPORTER_OTLP_HEADERS to what the backend asks for.' }
    }
    return { status: 'fail', detail: `${shown} does not take ${name} (HTTP ${status}).`, fix }
  } catch (error) {
    const { name: reason, cause } = error as { name: string; cause?: { code?: string } } // what `fetch` throws
    const why = cause?.code ?? reason
    return { status: 'fail', detail: `${shown} does not answer (${why}): ${name} are lost.`, fix }
  }
}

/** https://opentelemetry.io/docs/specs/otel/protocol/exporter/#endpoint-urls-for-otlphttp */
function endpointOf(name: Signal, env: Env): URL {
  const own = env[`OTEL_EXPORTER_OTLP_${name.toUpperCase()}_ENDPOINT`]
  if (own) return new URL(own)
  const base = new URL(env.OTEL_EXPORTER_OTLP_ENDPOINT || 'http://localhost:4318')
  base.pathname = `${base.pathname.replace(/\/+$/, '')}/v1/${name}`
  return base
}

/** The user of an address as a header, as the exporters send it: `fetch` takes no such address, so it loses them here. */
function userHeader(endpoint: URL): Record<string, string> {
  const { username, password } = endpoint
  if (username === '' && password === '') return {}
  endpoint.username = ''
  endpoint.password = ''
  const user = `${decoded(username)}:${decoded(password)}`
  return { authorization: `Basic ${Buffer.from(user).toString('base64')}` }
}

/** The headers of the variables, which are written as W3C baggage: `key=value,key=value`. */
function headersOf(name: Signal, env: Env): Record<string, string> {
  const texts = [env.OTEL_EXPORTER_OTLP_HEADERS, env[`OTEL_EXPORTER_OTLP_${name.toUpperCase()}_HEADERS`]]
  const pairs = texts.flatMap((text) => text?.split(',') ?? []).map((pair) => pair.split('='))
  return Object.fromEntries(
    pairs.flatMap(([key = '', ...value]) => (key.trim() === '' ? [] : [[key.trim(), decoded(value.join('=').trim())]])),
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
