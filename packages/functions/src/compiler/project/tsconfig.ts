import { dirname } from 'node:path'
import { AgentKitError } from '@agentkit/core'
import type { ts } from 'ts-morph'

/** The settings of a project's tsconfig.json. */
export type Tsconfig = {
  /** Its path; undefined if there is none. */
  place: string | undefined
  options: ts.CompilerOptions
  /** The files from which it was read: the tsconfig.json and the files that it extends. */
  sources: string[]
  /** The project's files that declare global types. */
  declarations(): string[]
  /** Those of them that add to the types of modules. */
  augmentations(): string[]
}

/**
 * The nearest tsconfig.json of a file, or the referenced tsconfig.json that contains the file. Without one, the
 * settings that Node itself uses.
 * @throws AgentKitError `invalid-config` for one that cannot be read
 */
export function readTsconfig(typescript: typeof ts, path: string): Tsconfig {
  const { ModuleKind, ModuleResolutionKind, ScriptTarget, sys } = typescript
  const nearest = typescript.findConfigFile(dirname(path), sys.fileExists)
  const sources: string[] = []
  let declarations: string[] | undefined
  let augmentations: string[] | undefined
  const place = nearest === undefined ? undefined : placeWithFile(nearest)
  const parsed = place === undefined ? undefined : parse(place, () => [])
  const options: ts.CompilerOptions = parsed?.options ?? {
    target: ScriptTarget.ESNext,
    module: ModuleKind.NodeNext,
    moduleResolution: ModuleResolutionKind.NodeNext,
    strict: true,
    types: ['node'],
  }
  return {
    place,
    // Types are only read. In every project, an optional parameter must differ from a parameter that may be null.
    options: {
      ...options,
      // All global types are found, as before TypeScript 6; newer compilers need them to be named.
      types: options.types ?? ['*'],
      // Types are found where Node finds the code.
      customConditions: [...(options.customConditions ?? []), ...nodeConditions()],
      allowJs: true,
      checkJs: false,
      noEmit: true,
      composite: false,
      incremental: false,
      skipLibCheck: true,
      strictNullChecks: true,
    },
    sources,
    declarations() {
      declarations ??= place === undefined ? [] : findDeclarations(place)
      return declarations
    },
    augmentations() {
      augmentations ??= this.declarations().filter((name) => augmentsModules(sys.readFile(name) ?? ''))
      return augmentations
    },
  }

  /** A tsconfig.json without files of its own only lists the projects that have them. */
  function placeWithFile(file: string): string {
    const { raw, projectReferences = [] } = parse(file, () => []) ?? {}
    const all = projectReferences.map((reference) => typescript.resolveProjectReferencePath(reference))
    const places = all.filter(sys.fileExists)
    if (!Array.isArray(raw?.files) || raw.files.length > 0) return file
    const hasFile = (place: string): boolean => parse(place, sys.readDirectory)?.fileNames.includes(path) ?? false
    return places.find(hasFile) ?? places[0] ?? file
  }

  function findDeclarations(file: string): string[] {
    const endings = ['.d.ts', '.d.mts', '.d.cts']
    const all = parse(file, (root, _endings, ...rest) => sys.readDirectory(root, endings, ...rest))
    return all?.fileNames.filter((name) => endings.some((ending) => name.endsWith(ending))) ?? []
  }

  function parse(file: string, readDirectory: ts.ParseConfigHost['readDirectory']): ts.ParsedCommandLine | undefined {
    const host: ts.ParseConfigFileHost = {
      ...sys,
      readDirectory,
      readFile(name) {
        if (!sources.includes(name)) sources.push(name)
        return sys.readFile(name)
      },
      onUnRecoverableConfigFileDiagnostic: refuse,
    }
    const parsed = typescript.getParsedCommandLineOfConfigFile(file, undefined, host)
    const [broken] = parsed?.errors.filter(({ code }) => isBroken(code)) ?? []
    if (broken) refuse(broken)
    return parsed

    function refuse({ messageText }: ts.Diagnostic): never {
      const problem = typescript.flattenDiagnosticMessageText(messageText, ' ')
      throw new AgentKitError('invalid-config', `${file}: ${problem} Types are read as this file says, so correct it.`)
    }
  }
}

/**
 * Whether a file, or one that it extends, is unreadable: invalid JSON (1000 to 1999), missing, or extends itself.
 * Unknown options are not an error, because the user's compiler may be newer.
 */
function isBroken(code: number): boolean {
  return code < 2000 || [5083, 6053, 18000].includes(code)
}

/** A file without imports and exports declares modules of its own. */
function augmentsModules(text: string): boolean {
  return /\bdeclare\s+module\s+['"]/.test(text) && /^(?:import|export)\b/m.test(text)
}

/** The conditions that Node was started with: `--conditions=name`, `-C name`. */
function nodeConditions(): string[] {
  const words = [...process.execArgv, ...(process.env.NODE_OPTIONS?.split(/\s+/) ?? [])].join('\0')
  return [...words.matchAll(/(?:^|\0)(?:--conditions|-C)[=\0]([^\0]+)/g)].flatMap(([, name]) => name ?? [])
}
