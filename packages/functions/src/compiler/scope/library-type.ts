import type { ts } from 'ts-morph'
import type { CompilerScope } from './compiler-scope.ts'

/** Whether a type is the language's type of this name, not a user's. */
export function isLibraryType({ symbol }: ts.Type, name: string, scope: CompilerScope): boolean {
  return symbol?.name === name && isOfLibrary(symbol, scope)
}

/** Whether a type is a class, or an object of the language or its platforms, mapped (`Partial<Date>`) or not. */
export function isInstance(type: ts.Type, scope: CompilerScope): boolean {
  const { Class, Interface, Value } = scope.ts.SymbolFlags
  const { symbol } = type
  if (symbol && symbol.flags & Class) return true
  if (scope.checker.getPropertiesOfType(type).some((property) => isMethodOfLibrary(property, scope))) return true
  // Some of a library's interfaces describe plain data, such as `Intl.NumberFormatOptions`.
  return Boolean(symbol && symbol.flags & Interface && symbol.flags & Value) && isOfLibrary(symbol, scope)
}

function isMethodOfLibrary({ declarations = [] }: ts.Symbol, { ts, isLibrary }: CompilerScope): boolean {
  return declarations.some((declaration) => ts.isMethodSignature(declaration) && isLibrary(declaration.getSourceFile()))
}

function isOfLibrary({ declarations = [] }: ts.Symbol, { isLibrary }: CompilerScope): boolean {
  return declarations.some((declaration) => isLibrary(declaration.getSourceFile()))
}
