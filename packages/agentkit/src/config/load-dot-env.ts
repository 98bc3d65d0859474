import { parse } from 'dotenv'

const { readFileSync } = process.getBuiltinModule('node:fs')
const { isUtf8 } = process.getBuiltinModule('node:buffer')

/**
 * Sets the environment variables of the working directory's `.env`, if it exists. A variable that is already set keeps
 * its value, even an empty one.
 *
 * @returns a sentence about a file that cannot be read
 */
export function loadDotEnv(): string | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync('.env')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException // what `fs` throws
    return code === 'ENOENT' ? undefined : `The file .env could not be read: ${message}.`
  }
  for (const [name, value] of Object.entries(parse(bytes.toString('utf8')))) {
    if (!Object.hasOwn(process.env, name)) process.env[name] = value
  }
  if (isUtf8(bytes)) return undefined
  // PowerShell's `>` writes UTF-16, of which nothing can be read.
  return 'The file .env is not UTF-8, so its variables may be missing or wrong. Save it as UTF-8.'
}
