import type { Manifest } from './manifest.ts'

/** The differences between two manifests, in words; empty if they are equal. */
export function manifestDifferences(written: Manifest, wanted: Manifest): string[] {
  const before = byFunction(written)
  const after = byFunction(wanted)
  const differences = [
    ...[...after].filter(([key]) => !before.has(key)).map(([, { name }]) => `new: ${name}`),
    ...[...before].filter(([key]) => !after.has(key)).map(([, { name }]) => `gone: ${name}`),
    ...[...after]
      .filter(([key, { data }]) => (before.get(key)?.data ?? data) !== data)
      .map(([, { name }]) => `changed: ${name}`),
  ]
  if (differences.length > 0 || moduleData(written) === moduleData(wanted)) return differences
  return ['its patterns or its imports are not those that it would be written with']
}

type Compared = { name: string; data: string }

/** The compared parts of a function; imports are compared separately. */
function byFunction({ functions }: Manifest): Map<string, Compared> {
  return new Map(
    functions.map(({ from, path, compiled }) => {
      const key = JSON.stringify([from.replace(/\.([cm]?)[jt]sx?$/, '$1'), path])
      return [key, { name: `${path.join('.')} of ${from}`, data: JSON.stringify(compiled) }]
    }),
  )
}

/** The rest, where no order matters. */
function moduleData({ header, attachFrom, functions }: Manifest): string {
  const calls = functions.map(({ from, path }) => JSON.stringify([from, path]))
  return JSON.stringify([header.file, header.patterns, attachFrom, calls.sort()])
}
