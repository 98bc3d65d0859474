import { readFileSync } from 'node:fs'
import { parse } from 'dotenv'

/**
 * Sets the environment variables of the working directory's `.env`, where there is one. A variable that is set
 * already keeps its value, also an empty one.
 *
 * @returns what is wrong with the file, as a sentence; `undefined` when nothing is
 */
export function loadDotEnv(): string | undefined {
  let text: string
  try {
    text = readFileSync('.env', 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // what `fs` throws
    return code === 'ENOENT' ? undefined : `The file .env could not be read: ${message}.`
  }
  for (const [name, value] of Object.entries(parse(text))) {
    if (!Object.hasOwn(process.env, name)) process.env[name] = value
  }
  return undefined
}
