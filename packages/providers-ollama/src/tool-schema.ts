import type { JSONSchema } from '@agentkit/core'
import { isRecord, referenceStep, toolParameters } from '@agentkit/wire'

type Fields = Record<string, unknown>

/** The targets of references, and the number of schemas that may still replace references. */
type Definitions = { root: Fields; left: number }

/** Definitions that refer to one another many times would become a schema without end. */
const mostSchemas = 5_000

/**
 * A tool's input schema in the keywords that an Ollama server passes to the model: it drops the others, such as
 * references and constants, and refuses schemas that are `true`.
 */
export function toolSchema(schema: JSONSchema): JSONSchema {
  const { $defs, definitions, ...parameters } = schema
  return toolParameters(convert(parameters, { root: { $defs, definitions }, left: mostSchemas }, []))
}

/** @param path the references that led here: a schema may hold itself */
function convert(schema: unknown, definitions: Definitions, path: readonly string[]): Fields {
  if (!isRecord(schema)) return {}
  definitions.left--
  if (typeof schema.$ref === 'string') return convertReference(schema, schema.$ref, definitions, path)
  const { allOf, ...own } = schema
  // Many tools write a reference with a description in this form.
  if (Array.isArray(allOf) && allOf.length === 1) return convert({ ...allOf[0], ...own }, definitions, path)
  const converted: Fields = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'const') converted.enum = [value]
    else if (keyword === 'properties' && isRecord(value)) {
      converted.properties = Object.fromEntries(
        Object.entries(value).map(([name, property]) => [name, convert(property, definitions, path)]),
      )
    } else if ((keyword === 'anyOf' || keyword === 'oneOf') && Array.isArray(value)) {
      converted.anyOf = value.map((choice) => convert(choice, definitions, path))
    } else if (keyword === 'allOf' && Array.isArray(value)) {
      converted.allOf = value.map((part) => convert(part, definitions, path))
    } else if (keyword === 'items' && isRecord(value)) converted.items = convert(value, definitions, path)
    else converted[keyword] = value
  }
  return converted
}

function convertReference(
  schema: Fields,
  reference: string,
  definitions: Definitions,
  path: readonly string[],
): Fields {
  const { $ref: _reference, ...beside } = schema
  const found = lookUp(reference, definitions.root)
  if (path.includes(reference) || definitions.left < 0) {
    return { type: isRecord(found) && typeof found.type === 'string' ? found.type : 'object', ...beside }
  }
  return { ...convert(found, definitions, [...path, reference]), ...beside }
}

function lookUp(reference: string, root: Fields): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/')
  return steps.reduce<unknown>((place, step) => {
    return isRecord(place) ? place[referenceStep(step)] : undefined
  }, root)
}
