import { isRecord, type MediaPart } from '@agentkit/wire'

/**
 * Whether a model takes a part as it is: bytes always, and an address only where the model says that its server fetches
 * such addresses. They are never fetched here: that could reach servers which only this machine can.
 */
export function readsMedia({ url, mediaType, type }: MediaPart, urls: unknown): boolean {
  if (url === undefined) return true
  if (!isRecord(urls)) return false
  const wanted = (mediaType ?? (type === 'image' ? 'image/*' : '')).toLowerCase()
  return Object.entries(urls).some(([pattern, addresses]) => {
    const prefix =
      pattern === '*'
        ? ''
        : pattern
            .toLowerCase()
            .replace(/^\*\/\*$/, '')
            .replace(/\*$/, '')
    // An image of unknown type may be of each type that is listed.
    const isWanted = wanted.startsWith(prefix) || (wanted === 'image/*' && prefix.startsWith('image/'))
    return isWanted && Array.isArray(addresses) && addresses.some((address) => matches(address, url))
  })
}

function matches(address: unknown, url: string): boolean {
  return address instanceof RegExp && new RegExp(address.source, address.flags.replace(/[gy]/g, '')).test(url)
}
