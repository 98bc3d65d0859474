import { invalidArgument } from '../data/errors.ts'
import type { JSONSchema, JSONValue } from '../data/message.ts'
import { isRecord } from '../data/message-problem.ts'
import { findJSON } from './find-json.ts'
import { jsonSchemaValidator } from './json-schema-validator.ts'
import { formsOf, withoutOptionalNulls } from './optional-nulls.ts'
import type { OutputFormat } from './output-format.ts'

/** How the parts of an answer are checked before it is complete. */
type DraftForm = {
  field?: string
  answerIn(text: string): Promise<JSONValue | undefined>
  itemsAt(path: readonly string[]): Promise<(item: JSONValue) => JSONValue | undefined>
}

/** The form of drafts of an agent's `output`. */
export function draftForm({ json, field }: OutputFormat): DraftForm {
  return {
    ...(field !== undefined && { field }),
    async answerIn(text) {
      const validate = await jsonSchemaValidator(json, owner)
      const found = [...findJSON(text)].map((each) => ({
        length: each.text.length,
        value: withinField(each.value, field),
      }))
      const fitting = found.find(({ value }) => !validate(withoutOptionalNulls(value, json, json)).problems)
      // A schema may accept what its JSON Schema refuses. The longest candidate is the answer; shorter ones are examples.
      const [longest] = found.toSorted((one, other) => other.length - one.length)
      return (fitting ?? longest)?.value
    },
    async itemsAt(path) {
      const items = itemsOf(json, path)
      if (!items) {
        // As the caller named it: an output that is not an object is within a field.
        const named = path.slice(field === undefined ? 0 : 1).join('.')
        throw invalidArgument(
          `The agent's \`output\` has no list of items at "${named}". Name its fields: "plan.steps".`,
        )
      }
      const validate = await jsonSchemaValidator(json, owner)
      return (item) => {
        if (!validate(item, items).problems) return item
        // As in the whole answer, null may stand for an omitted field.
        const without = withoutOptionalNulls(item, items, json) as JSONValue // JSON with fewer fields
        return without === item || validate(without, items).problems ? undefined : without
      }
    },
  }
}

const owner = "The agent's `output`"

/** An answer whose schema is of no object is within a field, which models omit at times. */
function withinField(value: JSONValue, field: string | undefined): JSONValue {
  if (field === undefined || (isRecord(value) && Object.hasOwn(value, field))) return value
  return { [field]: value }
}

/** The schema of the items of the list to which fields lead, in any of the forms that the answer may have. */
function itemsOf(root: JSONSchema, path: readonly string[]): JSONSchema | undefined {
  let forms = formsOf([root], root)
  for (const key of path) {
    const fields = forms.flatMap(({ properties }) => {
      return isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key]] : []
    })
    forms = formsOf(fields, root)
  }
  const [items, ...others] = forms.flatMap((form) => (isRecord(form.items) ? [form.items as JSONSchema] : []))
  return others.length > 0 ? { anyOf: [items, ...others] } : items
}
