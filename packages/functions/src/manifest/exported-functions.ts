import type { ts } from 'ts-morph'
import { exportedNames } from '../compiler/find/exported-names.ts'
import { type FoundFunction, findFunctions } from '../compiler/find/find-functions.ts'
import { hasModifier } from '../compiler/find/found-function.ts'
import { isTaggedInternal } from '../compiler/find/internal-tag.ts'
import type { TypedProject } from '../compiler/project/project.ts'
import { placeOf } from '../compiler/scope/compiler-scope.ts'

export type ExportedFunctions = {
  functions: { found: FoundFunction; path: string[] }[]
  warnings: string[]
}

/** The functions of a file that an importing module can attach tools to, without those with an exclusion tag. */
export function exportedFunctions(
  { ts: typescript, checker }: Pick<TypedProject, 'ts' | 'checker'>,
  source: ts.SourceFile,
): ExportedFunctions {
  const functions = findFunctions(typescript, source).filter(({ node }) => !isTaggedInternal(typescript, node))
  return {
    functions: functions.flatMap((found) => (found.exportPath ? [{ found, path: found.exportPath }] : [])),
    warnings: [
      ...instanceFields(typescript, source, functions).map(
        ({ reference, documented }) =>
          `${placeOf(documented)}: ${reference} is a field of each instance, where no manifest can attach a tool. ` +
          'Write it as a method, or make it private.',
      ),
      ...madeByCalls(typescript, checker, source).map(
        (declaration) =>
          `${placeOf(declaration)}: ${declaration.name.getText()} is made by a call, and only functions that are ` +
          'written out are compiled. Export one that calls it, tag it @internal, or make the tool with tool().',
      ),
    ],
  }
}

/** Exported constants such as `memo((city: string) => …)`. */
function madeByCalls(typescript: typeof ts, checker: ts.TypeChecker, source: ts.SourceFile): ts.VariableDeclaration[] {
  const exported = exportedNames(typescript, source)
  const constants = source.statements.filter(typescript.isVariableStatement)
  return constants
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .filter(({ name, initializer }) => {
      if (!initializer || !typescript.isCallExpression(initializer) || !exported.has(name.getText())) return false
      return checker.getTypeAtLocation(name).getCallSignatures().length > 0
    })
    .filter((declaration) => !isTaggedInternal(typescript, declaration))
}

/** Functions in public fields of exported classes: the class does not lead to them. */
function instanceFields(
  typescript: typeof ts,
  source: ts.SourceFile,
  functions: readonly FoundFunction[],
): FoundFunction[] {
  const { PrivateKeyword, ProtectedKeyword } = typescript.SyntaxKind
  const exported = exportedNames(typescript, source)
  return functions.filter(({ reference, documented }) => {
    const [owner = '', field] = reference.split('#')
    const isPrivate = [PrivateKeyword, ProtectedKeyword].some((kind) => hasModifier(typescript, documented, kind))
    return field !== undefined && !isPrivate && (owner === 'default' || exported.has(owner))
  })
}
