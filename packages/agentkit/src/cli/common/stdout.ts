/** Writes the result of a command. */
export type Output = {
  /** Settles when the text has been passed on, also where the reader has left. */
  write(text: string): Promise<void>
  /** Aborts when the reader has left, as `head` does. */
  readonly closed: AbortSignal
}

/**
 * Takes the standard output for the result of the command: what its file and its tools print goes to standard error from
 * now on.
 */
export function takeStdout(): Output {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const closing = new AbortController()
  stdout.on('error', () => closing.abort())
  return {
    write: (text) => new Promise((resolve) => void write(text, () => resolve())),
    closed: closing.signal,
  }
}
