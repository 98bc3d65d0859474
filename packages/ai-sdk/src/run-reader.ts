import type { AgentEvent, Citation } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'

/** A part of the AI SDK, or the mark of a step that begins or is tried again, for callers that can drop its parts. */
export type RunPart = LanguageModelV3StreamPart | { type: 'step-begin' | 'step-restart' }

/** Turns the events of a run into parts of one answer. */
export class RunReader {
  readonly #speakers: Speakers
  readonly #canDrop: boolean
  readonly #isJSON: boolean
  readonly #calls = new Set<string>()
  #block: { kind: 'text' | 'reasoning'; id: string } | undefined
  #blocks = 0
  #hadText = false
  /** The beginning of the current step's text, and whether it is that of JSON, once that is known. */
  #begun = ''
  #isAnswer: boolean | undefined
  /** Whether the answer has text so far. */
  hasText = false
  /** Whether any tool was called, by whichever agent. */
  hasCalls = false

  /**
   * @param isJSON whether the caller parses the text, so that it is the answer alone, without what is said beside calls
   * @param speaker of `Runnable.speaker`
   */
  constructor(canDrop: boolean, isJSON: boolean, speaker?: string) {
    this.#speakers = new Speakers({ speaker })
    this.#canDrop = canDrop
    this.#isJSON = isJSON
  }

  read(event: AgentEvent): RunPart[] {
    if (event.type === 'tool-call') this.hasCalls = true
    if (event.type === 'source') return [sourcePart(event.source)]
    if (!this.#speakers.isShown(event)) return []
    switch (event.type) {
      case 'step-start':
        this.#hadText = this.hasText
        this.#beginText()
        return this.#canDrop ? [{ type: 'step-begin' }] : []
      case 'step-restart':
        return this.#restart()
      case 'text-delta':
        return this.#isJSON ? this.#addJSON(event.text) : this.#add('text', event.text)
      case 'reasoning-delta':
        return this.#add('reasoning', event.text)
      case 'tool-call':
        this.#calls.add(event.callId)
        return [...this.#endBlock(), ...callParts(event)]
      case 'tool-result':
        return this.#calls.has(event.callId) ? [resultPart(event)] : []
      case 'step-end':
        return this.#endBlock()
      default:
        return []
    }
  }

  /** @param text of the run, for answers that no step has streamed */
  end(text: string): RunPart[] {
    const answer = this.#isJSON ? withoutFence(text) : text
    return [...(this.hasText || answer === '' ? [] : this.#add('text', answer)), ...this.#endBlock()]
  }

  /** What a stream has sent cannot be taken back: the new attempt follows as a block of its own. */
  #restart(): RunPart[] {
    const ended = this.#endBlock()
    this.#beginText()
    if (!this.#canDrop) return ended
    this.hasText = this.#hadText
    return [{ type: 'step-restart' }]
  }

  #beginText(): void {
    this.#begun = ''
    this.#isAnswer = undefined
  }

  /** Text that begins like JSON is the answer. Other text is left out: the text of the run follows at its end. */
  #addJSON(text: string): RunPart[] {
    if (this.#canDrop) return []
    if (this.#isAnswer === undefined) {
      this.#begun = (this.#begun + text).trimStart()
      if (/^\[?\s*$/.test(this.#begun)) {
        // JSON may have any number of spaces there.
        this.#begun = this.#begun.trimEnd()
        return []
      }
      this.#isAnswer = /^(?:\{|\[\s*["{[\]\dtfn-])/.test(this.#begun)
      return this.#isAnswer ? this.#add('text', this.#begun) : []
    }
    return this.#isAnswer ? this.#add('text', text) : []
  }

  #add(kind: 'text' | 'reasoning', text: string): RunPart[] {
    const parts: RunPart[] = []
    if (this.#block?.kind !== kind) {
      parts.push(...this.#endBlock())
      this.#block = { kind, id: String(++this.#blocks) }
      parts.push({ type: `${kind}-start`, id: this.#block.id })
      // The AI SDK joins the texts of an answer; those of different steps are paragraphs.
      if (kind === 'text' && this.hasText) parts.push({ type: 'text-delta', id: this.#block.id, delta: '\n\n' })
    }
    if (kind === 'text') this.hasText = true
    parts.push({ type: `${kind}-delta`, id: this.#block.id, delta: text })
    return parts
  }

  #endBlock(): RunPart[] {
    const block = this.#block
    this.#block = undefined
    return block ? [{ type: `${block.kind}-end`, id: block.id }] : []
  }
}

/** JSON that a model has written as a code block. */
function withoutFence(text: string): string {
  return /^\s*```\w*\s(.*?)\s```\s*$/s.exec(text)?.[1] ?? text
}

/** The agent has called a tool of its own, which the caller does not know. */
const executed = { providerExecuted: true, dynamic: true } as const

function callParts({ callId, name, input }: Extract<AgentEvent, { type: 'tool-call' }>): RunPart[] {
  const text = JSON.stringify(input ?? {})
  return [
    { type: 'tool-input-start', id: callId, toolName: name, ...executed },
    { type: 'tool-input-delta', id: callId, delta: text },
    { type: 'tool-input-end', id: callId },
    { type: 'tool-call', toolCallId: callId, toolName: name, input: text, ...executed },
  ]
}

function resultPart(event: Extract<AgentEvent, { type: 'tool-result' }>): RunPart {
  const { callId, name, output, isError } = event
  // Events carry plain JSON; the words are those that the model has read.
  const result = (output === undefined ? 'done' : (output ?? 'no result')) as string
  return {
    ...{ type: 'tool-result', toolCallId: callId, toolName: name, result, dynamic: true },
    ...(isError && { isError: true }),
  }
}

function sourcePart(source: Citation): RunPart {
  const { file, chunkId, heading } = source
  const extension = file.split('.').at(-1)?.toLowerCase() ?? ''
  return {
    type: 'source',
    sourceType: 'document',
    id: chunkId,
    mediaType: mediaTypes.get(extension) ?? 'text/plain',
    title: heading === undefined ? file : `${file}: ${heading}`,
    filename: file,
    // A citation is plain JSON.
    providerMetadata: { agentkit: { ...source } as never },
  }
}

const mediaTypes = new Map([
  ['pdf', 'application/pdf'],
  ['md', 'text/markdown'],
  ['mdx', 'text/markdown'],
  ['csv', 'text/csv'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
])
