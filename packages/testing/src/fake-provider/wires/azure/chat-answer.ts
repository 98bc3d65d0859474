import { chatRoute } from '../openai/openai.ts'
import type { FakeAnswer } from '../script.ts'
import { type Frame, isFields, type MakeId, type WireAnswer } from '../wire-spec.ts'
import { safeVerdict } from './error-body.ts'

/** OpenAI's answer with the results of Azure's filter: for the prompt, for each piece, and for later checks. */
export function azureChatAnswer(answer: FakeAnswer, request: never, makeId: MakeId): WireAnswer {
  const played = chatRoute.answer(answer, request, makeId)
  const verdicts = [{ prompt_index: 0, content_filter_results: { ...safeVerdict, jailbreak: unseen } }]
  // The filter's own chunks have no answer id.
  const emptyHead = { id: '', object: '', created: 0, model: '' }
  const offsets = { check_offset: 0, start_offset: 0, end_offset: 1 }
  const late = { index: 0, finish_reason: null, content_filter_results: safeVerdict, content_filter_offsets: offsets }
  return {
    content: [
      { data: { ...emptyHead, choices: [], prompt_filter_results: verdicts } },
      ...played.content.map(judged),
      { data: { ...emptyHead, choices: [late], usage: null } },
    ],
    finish: played.finish.map(judged),
    failures: played.failures,
    body: isFields(played.body) ? { ...played.body, prompt_filter_results: verdicts } : played.body,
  }
}

const unseen = { filtered: false, detected: false }

function judged(frame: Frame): Frame {
  if (typeof frame === 'string' || !isFields(frame.data) || !Array.isArray(frame.data.choices)) return frame
  const choices = frame.data.choices.map((choice: object) => ({ ...choice, content_filter_results: {} }))
  return { ...frame, data: { ...frame.data, choices } }
}
