import { basename, dirname, resolve } from 'node:path'
import { AgentKitError, isAgentKitError } from '@agentkit/core'
import type { ts } from 'ts-morph'
import { compileFunction } from '../compiler/compile-function.ts'
import type { FoundFunction } from '../compiler/find/find-functions.ts'
import { openProject, type TypedProject } from '../compiler/project/project.ts'
import { placeOf } from '../compiler/scope/compiler-scope.ts'
import { loadTsMorph } from '../compiler/scope/load-ts-morph.ts'
import { syntaxErrors } from '../compiler/scope/syntax-errors.ts'
import type { CompiledFunction } from '../runtime/compiled-function.ts'
import { exportedFunctions } from './exported-functions.ts'
import { posixRelative } from './posix-path.ts'

export type CompiledFiles = {
  functions: FileFunction[]
  /** The reasons why functions cannot be tools. */
  problems: string[]
  warnings: string[]
}

export type FileFunction = {
  /** An absolute path. */
  file: string
  /** Its path in a module that imports the file. */
  path: string[]
  compiled: CompiledFunction
}

/**
 * Compiles all exports of files and reports every problem, not only the first.
 * @param files absolute paths
 * @param module the absolute path of the manifest, which will import them
 */
export function compileFiles(files: readonly string[], module: string): CompiledFiles {
  const result: CompiledFiles = { functions: [], problems: [], warnings: [] }
  const noTools: string[] = []
  for (const [file, project] of openProjects(files)) {
    const source = project.sourceFile(file)
    result.problems.push(...syntaxProblems(source))
    const { functions, warnings } = exportedFunctions(project, source)
    result.warnings.push(...warnings)
    for (const { found, path } of functions) {
      try {
        checkNotBeforeItself(found, module, project)
        const { compiled, warnings } = compileFunction(found, project)
        result.functions.push({ file, path, compiled })
        result.warnings.push(...warnings)
      } catch (error) {
        if (!isAgentKitError(error)) throw error
        noTools.push(error.message)
      }
    }
  }
  if (noTools.length > 0) result.problems.push(...noTools, noToolAtAll)
  return result
}

const noToolAtAll =
  'A function that is not a tool: do not export it, tag it @internal, or leave its file out of the pattern.'

/** The project of each file; files of one tsconfig.json share a project. */
function openProjects(files: readonly string[]): Map<string, TypedProject> {
  const { ts } = loadTsMorph()
  const groups = Map.groupBy(files, (file) => ts.findConfigFile(dirname(file), ts.sys.fileExists))
  const opened = [...groups.values()].flatMap((group) => {
    const project = openProject(group)
    return group.map((file): [string, TypedProject] => [file, project])
  })
  return new Map(opened)
}

function syntaxProblems(source: ts.SourceFile): string[] {
  return syntaxErrors(source).map(({ start, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start)
    const text = typeof messageText === 'string' ? messageText : messageText.messageText
    return `${posixRelative(process.cwd(), source.fileName)}:${line + 1}: ${text}`
  })
}

/**
 * Checks a file that imports the manifest which imports it: the manifest runs first, when only function declarations
 * exist.
 * @throws AgentKitError `invalid-argument`
 */
function checkNotBeforeItself({ name, node }: FoundFunction, module: string, project: TypedProject): void {
  const file = node.getSourceFile().fileName
  if (project.ts.isFunctionDeclaration(node) || !project.dependencies(file).some((path) => resolve(path) === module))
    return
  throw new AgentKitError(
    'invalid-argument',
    `${placeOf(node)}: ${name} is not there yet when ${basename(module)} attaches its tool, because its file imports ` +
      `${basename(module)}. Write it as "function ${name}", or put it into a file of its own.`,
  )
}
