import type { JSONSchema } from '@agentkit/core'
import { isRecord, toolParameters } from '@agentkit/wire'

type Fields = Record<string, unknown>

/**
 * A tool's input schema in the keywords that an Ollama server passes to the model: it drops the others, such as
 * references and constants, and refuses schemas that are `true`.
 */
export function toolSchema(schema: JSONSchema): JSONSchema {
  const { $defs, definitions, ...parameters } = schema
  return toolParameters(convert(parameters, { $defs, definitions }, []))
}

/** @param path the references that led here: a schema may hold itself */
function convert(schema: unknown, root: Fields, path: readonly string[]): Fields {
  if (!isRecord(schema)) return {}
  if (typeof schema.$ref === 'string') return convertReference(schema, schema.$ref, root, path)
  const converted: Fields = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'const') converted.enum = [value]
    else if (keyword === 'properties' && isRecord(value)) {
      converted.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, convert(property, root, path)]),
      )
    } else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      converted.anyOf = value.map((choice) => convert(choice, root, path))
    } else if (keyword === 'items' && isRecord(value)) converted.items = convert(value, root, path)
    else converted[keyword] = value
  }
  return converted
}

function convertReference(schema: Fields, reference: string, root: Fields, path: readonly string[]): Fields {
  const { $ref: _reference, ...beside } = schema
  if (path.includes(reference)) return { type: 'object', ...beside }
  const found = lookUp(reference, root)
  return { ...convert(found, root, [...path, reference]), ...beside }
}

function lookUp(reference: string, root: Fields): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/')
  return steps.reduce<unknown>((place, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return isRecord(place) ? place[name] : undefined
  }, root)
}
