import { dirname, isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ts } from 'ts-morph'
import { hasModifier } from '../compiler/find/found-function.ts'

/** The run-time references of a file's compiled text, as expressions, and the imports appended for them. */
export type RunTime = { attachTool: string; AgentKitError: string; end: string }

/**
 * The run-time imports of a file, by the relative path to this package: under pnpm the file may not
 * resolve the package's name, and a bundle must not contain absolute paths.
 */
export function runTimeFor({ fileName, text, statements }: ts.SourceFile, typescript: typeof ts): RunTime {
  const functions = importSpecifier(import.meta.resolve('@agentkit/functions'), fileName)
  const core = importSpecifier(import.meta.resolve('@agentkit/core'), fileName)
  if (!statements.some(isOfModule) && /\b(?:require|exports)\b/.test(text)) {
    return { attachTool: `require(${functions}).attachTool`, AgentKitError: `require(${core}).AgentKitError`, end: '' }
  }
  const attachTool = unusedName('agentkitAttachTool', text)
  const AgentKitError = unusedName('agentkitError', text)
  const imports = [
    `import { attachTool as ${attachTool} } from ${functions};`,
    `import { AgentKitError as ${AgentKitError} } from ${core};`,
  ]
  // At the end, so that directives and lines keep their positions; imports run first in any case.
  return { attachTool, AgentKitError, end: `${text.endsWith('\n') ? '' : '\n'}${imports.join('')}\n` }

  function isOfModule(statement: ts.Statement): boolean {
    const { ExportKeyword } = typescript.SyntaxKind
    const isExport = typescript.isExportDeclaration(statement) || typescript.isExportAssignment(statement)
    return isExport || typescript.isImportDeclaration(statement) || hasModifier(typescript, statement, ExportKeyword)
  }
}

/** A string literal that imports the module of a URL. */
function importSpecifier(url: string, file: string): string {
  const path = relative(dirname(file), fileURLToPath(url))
  // On Windows, there is no relative path between drives.
  const isSpecifier = path.startsWith('..') || isAbsolute(path)
  return JSON.stringify((isSpecifier ? path : `./${path}`).replaceAll('\\', '/'))
}

function unusedName(name: string, text: string): string {
  return text.includes(name) ? unusedName(`${name}_`, text) : name
}
