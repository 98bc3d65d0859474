import { ApiError } from '../errors.ts'
import { type Fields, isFields } from '../wire-spec.ts'
import { namePattern, nameWords, refused } from './check-part.ts'
import { checkSchema } from './check-schema.ts'
import { modelRules } from './model-rules.ts'

/** Rejects functions, and a choice of them, that the API rejects. */
export function checkTools(request: Fields, model: string): void {
  const tools = (request.tools ?? []) as Fields[]
  const names = new Set<unknown>()
  tools.forEach((tool, index) => {
    const declarations = (tool.functionDeclarations ?? []) as Fields[]
    declarations.forEach((declaration, place) => {
      checkDeclaration(declaration, `tools[${index}].function_declarations[${place}]`)
      if (names.has(declaration.name)) {
        throw new ApiError(400, `Duplicate function declaration found: ${declaration.name}`)
      }
      names.add(declaration.name)
    })
  })
  checkChoice(request, names)
  const config = isFields(request.generationConfig) ? request.generationConfig : {}
  if (names.size > 0 && config.responseMimeType === 'application/json' && !modelRules(model).isThird) {
    throw new ApiError(400, "Function calling with a response mime type: 'application/json' is unsupported")
  }
}

function checkDeclaration(declaration: Fields, path: string): void {
  if (!namePattern.test(String(declaration.name ?? ''))) throw refused(`${path}.name`, nameWords)
  const { parameters, parametersJsonSchema } = declaration
  if (parameters !== undefined && parametersJsonSchema !== undefined) {
    throw refused(path, 'only one of parameters and parameters_json_schema can be set.\n')
  }
  if (isFields(parameters)) {
    if (String(parameters.type).toUpperCase() !== 'OBJECT') {
      throw refused(`${path}.parameters`, 'schema type should be OBJECT\n')
    }
    checkSchema(parameters, `${path}.parameters`)
  }
  if (parametersJsonSchema === undefined) return
  if (!isFields(parametersJsonSchema) || parametersJsonSchema.type !== 'object') {
    throw refused(`${path}.parameters_json_schema`, 'schema type should be OBJECT\n')
  }
}

function checkChoice({ toolConfig }: Fields, names: ReadonlySet<unknown>): void {
  const config = isFields(toolConfig) ? toolConfig.functionCallingConfig : undefined
  if (!isFields(config)) return
  const mode = config.mode ?? 'MODE_UNSPECIFIED'
  const path = 'tool_config.function_calling_config'
  if (!['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(String(mode))) {
    throw new ApiError(
      400,
      `Invalid value at '${path}.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.` +
        `FunctionCallingConfig.Mode), ${JSON.stringify(mode)}`,
    )
  }
  if (names.size === 0) throw new ApiError(400, 'Function calling config is set without function_declarations.')
  const allowed = (config.allowedFunctionNames ?? []) as unknown[]
  if (allowed.length === 0) return
  if (mode !== 'ANY' && mode !== 'VALIDATED') {
    throw refused(`${path}.allowed_function_names`, 'only allowed when function calling mode is ANY or VALIDATED.\n')
  }
  const unknown = allowed.find((name) => !names.has(name))
  if (unknown === undefined) return
  throw refused(`${path}.allowed_function_names`, `\`${unknown}\` is not among the function declarations.\n`)
}
