import { sha256 } from '../text/sha256.ts'

/**
 * The name of the folder that has a user's files: readable, and different for any two users, also on a file system that
 * ignores case or normalizes Unicode.
 *
 * @example
 * userFolder('Ada Lovelace') // 'ada-lovelace-' and 32 hexadecimal digits
 */
export function userFolder(userId: string): string {
  const readable = userId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `${readable || 'user'}-${sha256(userId).slice(0, 32)}`
}
