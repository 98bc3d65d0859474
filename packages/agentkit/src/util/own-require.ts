import { isAbsolute } from 'node:path'
import { isPackageMissing } from '@agentkit/core/internal'

/**
 * Loads a package as `require` of this file does, or where a bundler has put this file into a bundle, as the bundle does.
 * @throws the error of `require`
 */
export function ownRequire(name: string): unknown {
  // By an import of `createRequire`, webpack would replace its calls.
  const { createRequire } = process.getBuiltinModule('node:module')
  let failure: unknown
  for (const file of places()) {
    try {
      return createRequire(file)(name)
    } catch (error) {
      failure ??= error
      if (!isPackageMissing(error, name)) throw error
    }
  }
  throw failure
}

/** In CommonJS, esbuild has no `import.meta.url`; webpack and Bun replace it by a path of the machine that builds. */
function places(): string[] {
  const places = [import.meta.url ?? '', bundleFile() ?? '', process.argv[1] ?? '']
  return places.filter((place) => place.startsWith('file:') || isAbsolute(place))
}

/** The file of a bundle in CommonJS. `typeof __filename` is no check: webpack answers it itself, wrongly in modules. */
function bundleFile(): string | undefined {
  try {
    return __filename
  } catch {
    return undefined
  }
}
