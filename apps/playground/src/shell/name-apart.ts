const named = new Set<HTMLElement>()

/** Numbers the second region of a name: a screen reader lists them by their names alone. For `ref`, with a `key` where the name has a language. */
export function nameApart(region: HTMLElement | null): void {
  if (!region) return
  const name = region.ariaLabel
  for (const other of named) if (!other.isConnected) named.delete(other)
  for (let n = 2; [...named].some((other) => other.ariaLabel === region.ariaLabel); n++)
    region.ariaLabel = `${name} (${n})`
  named.add(region)
}
