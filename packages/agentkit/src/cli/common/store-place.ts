import { isPostgres } from '../../config/postgres-store.ts'
import { isAddress, pathOfFileAddress } from '../../config/store-names.ts'
import { UsageError } from './usage-error.ts'

/** A parser of `--sessions`. @throws UsageError for another address, of which it shows the scheme: it may have a password */
export function storePlace(place: string): string {
  const path = pathOfFileAddress(place)
  if (path !== undefined) throw new UsageError(`--sessions is the path of a SQLite file: write "${path}".`)
  if (!isAddress(place) || isPostgres(place)) return place
  const [scheme] = place.split(':', 1)
  throw new UsageError(`--sessions is the path of a SQLite file or postgres://…, not a ${scheme}:// address.`)
}
