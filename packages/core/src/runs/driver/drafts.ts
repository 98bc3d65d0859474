import { invalidArgument } from '../../data/errors.ts'
import type { AgentEvent } from '../../data/event.ts'
import type { JSONValue } from '../../data/message.ts'
import { limits } from '../../limits.ts'
import { isDeepEqual } from '../../util/json/deep-equal.ts'
import { IncrementalJSON } from '../../util/json/incremental-json.ts'
import type { RunResult } from './run.ts'
import { Speakers } from './speakers.ts'

/** The form of a run's answer. */
export type DraftForm = {
  /** The field of the answer that has the output, where its schema is of no object. */
  field?: string
  /** The JSON in the text of an answer, within its field. */
  answerIn(text: string): Promise<JSONValue | undefined>
  /**
   * Checks the items of a list: returns an item as it fits, `undefined` for one that does not.
   * @throws AgentKitError `invalid-argument` where the form has no list at this place
   */
  itemsAt(path: readonly string[]): Promise<(item: JSONValue) => JSONValue | undefined>
}

/** A run as its drafts are read. */
export type DraftedRun = AsyncIterable<AgentEvent> & { result(): Promise<RunResult> }

/** The output of a run while it is written: one value that grows, and begins again where the answer does. */
export async function* partialsOf(run: DraftedRun, formOf: () => Promise<DraftForm>): AsyncGenerator<unknown> {
  const form = await formOf()
  for await (const { json, hasGrown } of textsOf(run, form)) {
    const value = json.value() as Record<string, unknown> | undefined // text that begins with `{`
    const output = form.field === undefined ? value : value?.[form.field]
    if (hasGrown && output !== undefined) yield output
  }
}

/**
 * The items of a list in the output, each once it is complete and fits its schema.
 * @throws AgentKitError `invalid-argument` for a path that is not text, or no list's
 */
export async function* elementsOf(
  run: DraftedRun,
  formOf: () => Promise<DraftForm>,
  path: string,
): AsyncGenerator<unknown> {
  if (typeof path !== 'string') {
    throw invalidArgument('Pass the path of a list in the output: run.elements("plan.steps").')
  }
  const form = await formOf()
  const watched = [...(form.field === undefined ? [] : [form.field]), ...(path === '' ? [] : path.split('.'))]
  const itemOf = await form.itemsAt(watched)
  /** What was given; an answer that begins again mostly repeats it. */
  const given: string[] = []
  let current: IncrementalJSON | undefined
  let index = 0
  for await (const { json } of textsOf(run, form, watched)) {
    if (json !== current) index = 0
    current = json
    for (const item of json.takeItems()) {
      const text = JSON.stringify(item)
      const isNew = given[index] !== text
      given[index++] = text
      // The cast holds: items are parsed from JSON.
      const fitting = isNew ? itemOf(item as JSONValue) : undefined
      if (fitting !== undefined) yield fitting
    }
  }
}

type Text = { json: IncrementalJSON; hasGrown: boolean }

/**
 * The texts that may become the answer: that of a step while it is written, again where it is tried again.
 * @throws AgentKitError with which the run ended
 */
async function* textsOf(run: DraftedRun, form: DraftForm, watched?: readonly string[]): AsyncGenerator<Text> {
  const open = (): IncrementalJSON => {
    return new IncrementalJSON({ depth: limits.argumentDepth, ...(watched && { watched }) })
  }
  const speakers = new Speakers()
  let json = open()
  for await (const event of run) {
    if (!speakers.isShown(event)) continue
    if (event.type === 'step-start' || event.type === 'step-restart') {
      json = open()
    } else if (event.type === 'text-delta') yield { json, hasGrown: json.push(event.text) }
  }
  const { error, finishReason, text } = await run.result()
  if (error) throw error
  const answer = finishReason === 'stop' ? await form.answerIn(text) : undefined
  if (answer === undefined || isDeepEqual(json.value(), answer)) return
  // The answer was after other text, without its field, or was not streamed.
  json = open()
  yield { json, hasGrown: json.push(JSON.stringify(answer)) }
}
