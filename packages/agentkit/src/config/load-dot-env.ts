import { parse } from 'dotenv'

const { readFileSync } = process.getBuiltinModule('node:fs')

/**
 * Sets the environment variables of the working directory's `.env`, if it exists. A variable that is already set keeps
 * its value, even an empty one.
 *
 * @returns a sentence about a file that cannot be read
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
