import { BlockList, isIP } from 'node:net'
import { invalidConfig } from '@agentkit/core/internal'

/** The reverse proxies whose forwarded headers count. */
export interface TrustedProxies {
  /** Whether an address, in the form of a socket or a header, belongs to a trusted proxy. */
  has(address: string): boolean
}

/**
 * @param addresses IPv4 and IPv6 addresses, or CIDRs such as `10.0.0.0/8`
 * @throws AgentKitError `invalid-config` for anything else, `"*"` included
 */
export function toTrustedProxies(addresses: readonly string[]): TrustedProxies {
  if (!Array.isArray(addresses)) {
    throw invalidConfig('`trustedProxies` is a list of addresses and CIDRs such as ["127.0.0.1", "10.0.0.0/8"].')
  }
  const list = new BlockList()
  for (const entry of addresses) addEntry(list, entry)
  return {
    has(address) {
      const plain = plainAddress(address)
      return plain !== undefined && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

function addEntry(list: BlockList, entry: unknown): void {
  if (entry === '*') {
    throw invalidConfig(
      '`trustedProxies` has "*": anyone could then send any address as theirs. Name the addresses of your proxies.',
    )
  }
  const [address = '', prefix, ...rest] = typeof entry === 'string' ? entry.split('/') : []
  const version = isIP(address)
  const bits = prefix === undefined ? undefined : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  const isValid = version !== 0 && !address.includes('%') && rest.length === 0
  if (!isValid || (bits !== undefined && !(bits <= (version === 4 ? 32 : 128)))) {
    throw invalidConfig(
      `${JSON.stringify(entry)} in \`trustedProxies\` is not an address or a CIDR. Write it like "10.0.0.7" or "10.0.0.0/8".`,
    )
  }
  if (bits === 0) {
    throw invalidConfig(`"${entry}" in \`trustedProxies\` is every address. Name the addresses of your proxies.`)
  }
  const family = version === 6 ? 'ipv6' : 'ipv4'
  if (bits === undefined) list.addAddress(address, family)
  else list.addSubnet(address, bits, family)
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/**
 * An address without brackets, port and zone; IPv4 that a socket has mapped to IPv6 as IPv4.
 * @returns `undefined` for a text that is not an address, such as `unknown`
 */
export function plainAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = bare.replace(/%.*$/, '')
  const plain = mapped.exec(address)?.[1] ?? address
  return isIP(plain) === 0 ? undefined : plain
}
