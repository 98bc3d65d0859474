import { relative } from 'node:path'
import type { SessionStore } from '@agentkit/core'

const places = new WeakMap<SessionStore, string>()

/** Remembers where a store is, for messages. @param place a path, or an address, which may have a password */
export function nameStore(store: SessionStore, place: string): void {
  places.set(store, place)
}

/** A value that stores of the same place share. It may contain a password. */
export function placeOf(store: SessionStore): string | SessionStore {
  const place = places.get(store)
  return place === undefined || place === '' || place === ':memory:' ? store : place
}

/**
 * The place of a store without a password: an address, or a path, which is relative to this folder if the store is in
 * it.
 */
export function storeName(store: SessionStore): string {
  const name = places.get(store)
  if (name === undefined) return 'a store of its own'
  if (isAddress(name)) return withoutPassword(name)
  if (name === '' || name === ':memory:') return name || 'a temporary file'
  const short = relative('', name)
  return short.startsWith('..') ? name : short
}

/** Whether `sessions` is an address instead of a path. */
export function isAddress(place: string): boolean {
  return /^\w+:\/\//.test(place)
}

/** The path in an address of libSQL, which other libraries take: `file:./memory.db`. */
export function pathOfFileAddress(place: string): string | undefined {
  return /^(?:file|sqlite3?):(?:\/\/)?([^?]+)/i.exec(place)?.[1]
}

/**
 * An address without its password and its parameters, which may hold one too. A password that is not encoded may have any
 * character, so it ends at the last `@`.
 */
export function withoutPassword(address: string): string {
  const [, scheme = '', rest = ''] = /^(\w+:\/\/)(.*)$/s.exec(address) ?? []
  const end = rest.lastIndexOf('@')
  const user = end < 0 ? '' : `${rest.slice(0, end).split(':', 1)[0]}@`
  return scheme + user + rest.slice(end + 1).split(/[?#]/, 1)[0]
}
