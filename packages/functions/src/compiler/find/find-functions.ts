import { basename, extname } from 'node:path'
import type { ts } from 'ts-morph'
import { commonExport, exportedNames } from './exported-names.ts'
import { methodsOfClass, methodsOfObject } from './find-methods.ts'
import {
  type FoundFunction,
  foundFunction,
  hasModifier,
  overloadsBefore,
  type Place,
  unwrapped,
} from './found-function.ts'

export type { FoundFunction } from './found-function.ts'

/**
 * The functions of a file that may be tools, in the order of the text: declared ones, values of variables and exports,
 * methods of classes and of object literals. Nested functions are not included. Reads syntax only.
 */
export function findFunctions(typescript: typeof ts, file: ts.SourceFile): FoundFunction[] {
  const exported = exportedNames(typescript, file)
  const nameOfFile = camelCase(basename(file.fileName, extname(file.fileName)))
  return file.statements.flatMap((statement) => {
    if (hasModifier(typescript, statement, typescript.SyntaxKind.DeclareKeyword)) return []
    if (typescript.isFunctionDeclaration(statement)) return declaredFunction(statement)
    if (typescript.isClassDeclaration(statement)) return methodsOfClass(typescript, statement, placeOf(statement))
    if (typescript.isVariableStatement(statement)) return inVariables(statement)
    if (typescript.isExportAssignment(statement)) return inDefaultExport(statement)
    return typescript.isExpressionStatement(statement) ? inAssignment(statement) : []
  })

  function declaredFunction(node: ts.FunctionDeclaration): FoundFunction[] {
    if (!node.body) return []
    const overloads = overloadsBefore(node, file.statements)
    return [{ ...foundFunction(typescript, node, placeOf(node)), overloads }]
  }

  function placeOf(node: ts.FunctionDeclaration | ts.ClassDeclaration): Place {
    return node.name ? namedPlace(node.name.text, node) : defaultPlace(node)
  }

  function namedPlace(name: string, documented: ts.Node): Place {
    return { name, reference: name, exportPath: exported.get(name), documented }
  }

  function defaultPlace(documented: ts.Node): Place {
    return { name: nameOfFile, reference: 'default', exportPath: ['default'], documented }
  }

  function inVariables(statement: ts.VariableStatement): FoundFunction[] {
    const { declarations } = statement.declarationList
    return declarations.flatMap((declaration) => {
      const { name, initializer } = declaration
      if (!typescript.isIdentifier(name) || !initializer) return []
      return inValue(initializer, namedPlace(name.text, declarations.length === 1 ? statement : declaration))
    })
  }

  function inDefaultExport(statement: ts.ExportAssignment): FoundFunction[] {
    return statement.isExportEquals ? [] : inValue(statement.expression, defaultPlace(statement))
  }

  /** `exports.add = …` and `module.exports = …`. */
  function inAssignment(statement: ts.ExpressionStatement): FoundFunction[] {
    const { target, path, value } = commonExport(typescript, statement) ?? {}
    if (!target || !path || !value) return []
    return inValue(value, { name: path[1] ?? nameOfFile, reference: target, exportPath: path, documented: statement })
  }

  function inValue(expression: ts.Expression, place: Place): FoundFunction[] {
    const value = unwrapped(typescript, expression)
    if (typescript.isArrowFunction(value)) return [foundFunction(typescript, value, place)]
    if (typescript.isFunctionExpression(value)) {
      return [foundFunction(typescript, value, value.name ? { ...place, name: value.name.text } : place)]
    }
    if (typescript.isClassExpression(value)) return methodsOfClass(typescript, value, place)
    return typescript.isObjectLiteralExpression(value) ? methodsOfObject(typescript, value, place) : []
  }
}

/** `get-receipt` → `getReceipt` */
function camelCase(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+(.?)/gu, (_separator, next: string) => next.toUpperCase())
}
