import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { ts } from 'ts-morph'
import { type CompilerScope, failAt } from './scope/compiler-scope.ts'

/**
 * Refuses a function of code that a compiler has written: its types are in a declaration file, so its schema would take
 * anything, and a ToolContext would be filled in by the model.
 * @throws AgentKitError `invalid-argument`
 */
export function checkBuiltCode({ parameters }: ts.FunctionLikeDeclaration, scope: CompilerScope): void {
  const { fileName } = scope.node.getSourceFile()
  const [, base, kind] = /^(.*)\.([cm]?)js$/.exec(fileName) ?? []
  if (base === undefined) return
  const untyped = parameters.find((parameter) => hasNoType(parameter, scope))
  const declarations = `${base}.d.${kind}ts`
  if (untyped === undefined || !existsSync(declarations)) return
  failAt(
    scope,
    `the type of parameter "${untyped.name.getText()}" is in ${basename(declarations)}, and this code was built without it. ` +
      'Import the function from its TypeScript source, or run `agentkit tools build` on that source, build again, and import ' +
      'the module of tools too.',
  )
}

function hasNoType(parameter: ts.ParameterDeclaration, { ts, checker }: CompilerScope): boolean {
  if (parameter.type || parameter.initializer || ts.getJSDocType(parameter)) return false
  return (checker.getTypeAtLocation(parameter).flags & ts.TypeFlags.Any) !== 0
}
