/** The answer of a run, read again after its last event whenever the connection ends early. */
export async function answerOf(url: string, runId: string, userId: string, headers = {}): Promise<string> {
  let last = '0'
  for (;;) {
    const path = `${url}/api/v1/runs/${runId}/events?user_id=${encodeURIComponent(userId)}&after=${last}`
    const response = await fetch(path, { headers }).catch(() => undefined) // the server is being restarted
    const { ok = false, status = 503 } = response ?? {}
    if (status >= 400 && status < 500 && status !== 429) throw new Error(`The run ${runId} cannot be read: ${status}`)
    const body = response && ok ? await readAll(response) : ''
    // Up to the empty line: the last event may be cut.
    for (const [, id = '', data = ''] of body.matchAll(/^id: (\d+)\ndata: ([^\n]*)\n\n/gm)) {
      last = id
      const event = JSON.parse(data)
      // Of a run that is shown while it is written: `text-delta` adds, `step-start` and `step-restart` begin again.
      if (event.type === 'run-end') return event.text
    }
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** What arrives until the stream ends, also by a broken connection. */
async function readAll(response: Response): Promise<string> {
  let body = ''
  try {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) body += chunk
  } catch {
    // The rest comes with the next request.
  }
  return body
}
