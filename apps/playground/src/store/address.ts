const address = '#/chat/'

/** Shows the conversation's address in the browser. */
export function showAddress(sessionId: string): void {
  if (addressedId() !== sessionId) history.pushState(null, '', address + encodeURIComponent(sessionId))
}

/** The conversation that the address names. A link may write its id in several ways. */
export function addressedId(): string {
  const { hash } = location
  try {
    return hash.startsWith(address) ? decodeURIComponent(hash.slice(address.length)) : ''
  } catch {
    return ''
  }
}
