import { isRecord } from '@agentkit/core/internal'
import { parseDocument, visit } from 'yaml'
import { limits } from './limits.ts'

/** The front matter of a `SKILL.md`, and the text below it. */
export type SkillText = { name: string; description: string; body: string }

/** @throws Error with a sentence, for a text that is not of the agentskills format */
export function readFrontMatter(text: string): SkillText {
  const [first, ...lines] = text.split(/\r\n|\n|\r/)
  const end = lines.findIndex((line) => line.trimEnd() === '---')
  if (first?.trimEnd() !== '---')
    throw new Error('has no front matter. Begin it with the line ---, name and description')
  if (end === -1) throw new Error('has a front matter without an end. Write the line --- below its fields')
  const yaml = lines.slice(0, end).join('\n')
  if (yaml.length > limits.frontMatterChars) {
    throw new Error(`has a front matter of ${yaml.length} characters. The limit is ${limits.frontMatterChars}`)
  }
  const { name, description, compatibility } = parse(yaml)
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim()
  if (body === '') throw new Error('has no text below its front matter. Write what the model is to do')
  const bytes = Buffer.byteLength(body)
  if (bytes > limits.bodyBytes) {
    throw new Error(
      `has a text of ${bytes} bytes. The limit is ${limits.bodyBytes}: move parts into files of the skill, which the model reads when it needs them`,
    )
  }
  if (compatibility !== undefined) checkText('compatibility', compatibility, limits.compatibilityChars)
  return {
    name: checkName(name),
    description: checkText('description', description, limits.descriptionChars),
    body,
  }
}

function parse(yaml: string): Record<string, unknown> {
  let value: unknown
  try {
    const document = parseDocument(yaml, { logLevel: 'silent' })
    const [error] = document.errors
    // The first line of the file is the ---.
    if (error) throw new Error(`${sentence(error.message)} (line ${(error.linePos?.[0].line ?? 0) + 1})`)
    // Aliases are not needed here, and a few lines of them can expand to millions of values.
    visit(document, {
      Alias() {
        throw new Error('it has an alias (*). Write the value again')
      },
    })
    value = document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is nested too deeply' : (error as Error).message
    const hint = /Nested mappings/.test(reason) ? '. Put a text with ": " in quotes' : ''
    throw new Error(`has a front matter that cannot be read: ${reason}${hint}`, { cause: error })
  }
  if (isRecord(value)) return value
  throw new Error('has a front matter without fields. Write name: and description:')
}

/** The first line, without the excerpt and the place that follow it. */
function sentence(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
}

/** The format allows letters of any script, in lower case. */
function checkName(name: unknown): string {
  const text = checkText('name', name, limits.nameChars).normalize('NFKC')
  if (/^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Nd}]+(-[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Nd}]+)*$/u.test(text)) return text
  throw new Error(
    `has the name ${JSON.stringify(text)}. A name is lower-case letters and digits, with single hyphens between them`,
  )
}

function checkText(field: string, value: unknown, most: number): string {
  if (value === undefined || value === null) throw new Error(`has no \`${field}\` in its front matter`)
  if (typeof value !== 'string') throw new Error(`has a \`${field}\` that is not text. Put it in quotes`)
  const text = value.trim()
  if (text === '') throw new Error(`has an empty \`${field}\``)
  const { length } = Array.from(text)
  if (length > most) throw new Error(`has a \`${field}\` of ${length} characters. The limit is ${most}`)
  return text
}
