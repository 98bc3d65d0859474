import { keyPrefixes, type ProviderId } from '../../models/provider-table.ts'

/** Matches whole words, or many letters: a random key of 160 characters may contain `xxx`. */
const example = /…|\.\.\.|<.*>|(?<![a-z0-9])your|(?<![a-z0-9])x{3,}(?![a-z0-9])|x{6}|changeme/i

/**
 * The fault in the form of a key, as the end of a sentence that begins with the variable's name. It does not contain
 * the key.
 * @returns `undefined` for a key that may be valid
 */
export function keyProblem(
  value: string,
  provider: ProviderId,
): { status: 'warn' | 'fail'; detail: string } | undefined {
  const key = value.trim()
  if (/^(["']).*\1$/.test(key)) return { status: 'fail', detail: 'has quotes around the key.' }
  if (/\s/.test(key)) return { status: 'fail', detail: 'has a space or a line end within the key.' }
  if (example.test(key)) return { status: 'fail', detail: 'holds an example instead of a key.' }
  if (!/^[\x21-\x7e]+$/.test(key)) return { status: 'fail', detail: 'holds characters that no key has.' }
  const [owner] = Object.entries(keyPrefixes)
    .filter(([, prefix]) => key.startsWith(prefix))
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([id]) => id)
  const isOther = owner !== undefined && owner !== provider
  if (isOther && keyPrefixes[provider] !== undefined)
    return { status: 'fail', detail: `holds a key of ${owner}, not of ${provider}.` }
  if (provider === 'openai' && process.env.OPENAI_BASE_URL) return undefined
  const prefix = keyPrefixes[provider]
  if (prefix !== undefined && !key.startsWith(prefix)) {
    return { status: 'warn', detail: `does not begin with ${prefix}, as keys of ${provider} do.` }
  }
  if (key.length < 16) return { status: 'warn', detail: `has ${key.length} characters, which is short for a key.` }
  return undefined
}
