/** What the requests of an SDK that Stainless has generated have in common, besides key and user's headers. */
export type SdkSignature = {
  /** The SDK's name in `User-Agent`. */
  name: string
  version: string
  /** The beginning of its environment variables, such as `GROQ`. */
  variables: string
  /** Its own headers; `null` removes one. */
  headers: Record<string, string | null>
}

/** In milliseconds: no limit, as `CallWatch` has the timers. */
export const sdkTimeoutMs = 2_147_483_647

type Fields = Record<string, string>

/**
 * The headers that such an SDK sends with a request whose body is text. Plain fields: the class `Headers` loads undici,
 * which takes longer than a first call.
 * @param given those of the user, later ones over earlier ones; `null` removes one
 * @returns `undefined` where only the SDK knows: on other platforms, with environment variables for its headers and log, and
 *   for headers that are no plain text
 */
export function sdkHeaders(
  { name, version, variables, headers }: SdkSignature,
  ...given: (Record<string, string | null> | undefined)[]
): Fields | undefined {
  const os = systems[globalThis.process?.platform ?? '']
  const { arch, versions, env } = globalThis.process ?? {}
  const isNode = versions?.bun === undefined && !('Deno' in globalThis) && !('EdgeRuntime' in globalThis)
  if (!isNode || os === undefined || !architectures.has(arch)) return undefined
  if (env[`${variables}_LOG`] !== undefined || env[`${variables}_CUSTOM_HEADERS`] !== undefined) return undefined
  const sent: Fields = {
    accept: 'application/json',
    'user-agent': `${name}/JS ${version}`,
    'x-stainless-retry-count': '0',
    'x-stainless-timeout': String(Math.trunc(sdkTimeoutMs / 1000)),
    'x-stainless-lang': 'js',
    'x-stainless-package-version': version,
    'x-stainless-os': os,
    'x-stainless-arch': arch,
    'x-stainless-runtime': 'node',
    'x-stainless-runtime-version': process.version,
  }
  for (const values of [headers, ...given]) {
    for (const [field, value] of Object.entries(values ?? {})) {
      if (value === null) delete sent[field.toLowerCase()]
      else if (plainName.test(field) && plainValue.test(value)) sent[field.toLowerCase()] = value
      else return undefined
    }
  }
  return sent
}

const plainName = /^[\w-]+$/
/** Without spaces around it, which are not sent. */
const plainValue = /^(?! )[\x20-\x7e\xa0-\xff]+(?<! )$/
const systems: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'MacOS', win32: 'Windows' }
const architectures: ReadonlySet<string> = new Set(['x64', 'arm64'])
