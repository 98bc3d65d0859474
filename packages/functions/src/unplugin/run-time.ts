import { dirname, isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ts } from 'ts-morph'
import { hasModifier } from '../compiler/find/found-function.ts'

/** What a file's compiled text refers to, as expressions, and what comes after the text for them. */
export type RunTime = { attachTool: string; AgentKitError: string; end: string }

/**
 * How a file gets at what it needs at run time. By the way from the file to this package: under pnpm the file may not
 * see the package by its name, and a bundle must not hold the paths of one machine.
 */
export function runTimeFor({ fileName, text, statements }: ts.SourceFile, typescript: typeof ts): RunTime {
  const functions = wayTo(import.meta.resolve('@agentkit/functions'), fileName)
  const core = wayTo(import.meta.resolve('@agentkit/core'), fileName)
  if (!statements.some(isOfModule) && /\b(?:require|exports)\b/.test(text)) {
    return { attachTool: `require(${functions}).attachTool`, AgentKitError: `require(${core}).AgentKitError`, end: '' }
  }
  const attachTool = unusedName('agentkitAttachTool', text)
  const AgentKitError = unusedName('agentkitError', text)
  const imports = [
    `import { attachTool as ${attachTool} } from ${functions};`,
    `import { AgentKitError as ${AgentKitError} } from ${core};`,
  ]
  // At the end, where no directive and no line has to give way: imports run first wherever they stand.
  return { attachTool, AgentKitError, end: `${text.endsWith('\n') ? '' : '\n'}${imports.join('')}\n` }

  function isOfModule(statement: ts.Statement): boolean {
    const { ExportKeyword } = typescript.SyntaxKind
    const isExport = typescript.isExportDeclaration(statement) || typescript.isExportAssignment(statement)
    return isExport || typescript.isImportDeclaration(statement) || hasModifier(typescript, statement, ExportKeyword)
  }
}

/** A string literal that imports the module of a URL. */
function wayTo(url: string, file: string): string {
  const way = relative(dirname(file), fileURLToPath(url))
  // On Windows, no way leads from one drive to another.
  const isWay = way.startsWith('..') || isAbsolute(way)
  return JSON.stringify((isWay ? way : `./${way}`).replaceAll('\\', '/'))
}

function unusedName(name: string, text: string): string {
  return text.includes(name) ? unusedName(`${name}_`, text) : name
}
