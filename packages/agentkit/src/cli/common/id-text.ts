import { UsageError } from './usage-error.ts'

const maxChars = 128

/** A parser of an option that takes the id of a user or of a conversation. @throws UsageError for what cannot be one */
export function idText(option: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== '' && text.length <= maxChars && !/\p{Cc}/u.test(text)) return text
    throw new UsageError(
      `${option} has 1 to ${maxChars} characters, none of them a control character, not ${JSON.stringify(text.slice(0, 40))}.`,
    )
  }
}
