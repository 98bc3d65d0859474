import type { AgentEvent, Approval, Citation } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import { isSpeaker } from './is-speaker.ts'

type RunEnd = Extract<AgentEvent, { type: 'run-end' }>

export type AnswerReaderOptions = {
  /** The speakers of a run that continues. */
  speakers?: Speakers
  /** Nothing was sent yet: the text of an attempt that is tried again is dropped. */
  canDrop?: boolean
  /** The member, or the agent itself, whose words are the answer, of `Runnable.speaker`. */
  speaker?: string | undefined
}

/**
 * Reads a run as one text, for protocols that have no more: the texts of the steps of the agent that has the conversation, joined by
 * blank lines. Texts of members that answer their caller are left out, so a swarm that composes its answer has it at
 * the end. A streamed answer and an unstreamed one have the same text.
 */
export class AnswerReader {
  text = ''
  readonly sources: Citation[] = []
  /** The approvals that the run waits for. */
  readonly approvals: Approval[] = []
  /** Set when the run has ended or was suspended. */
  end: RunEnd | undefined
  readonly #speakers: Speakers
  readonly #canDrop: boolean
  readonly #member: string | undefined
  #hasMemberText = false
  #stepStart = 0
  #speaker = ''
  #isNewStep = false
  /** The text of an earlier attempt of the step, and how much of it the new attempt has repeated. */
  #earlier: { said: string; repeated: number } | undefined

  constructor({ canDrop = false, speaker, speakers = new Speakers({ speaker }) }: AnswerReaderOptions = {}) {
    this.#speakers = speakers
    this.#canDrop = canDrop
    this.#member = speaker
  }

  /** @returns the text that this event adds */
  read(event: AgentEvent): string {
    const isMember = isSpeaker(event, this.#member)
    const isShown = this.#speakers.isShown(event) || isMember
    switch (event.type) {
      case 'source':
        this.#addSource(event.source)
        return ''
      case 'approval-request':
        this.#addApproval(event)
        return ''
      case 'run-end':
        return this.#finish(event)
    }
    if (!isShown) return ''
    switch (event.type) {
      case 'step-start':
      case 'step-end': {
        const rest = this.#settleAttempt()
        this.#isNewStep = true
        this.#stepStart = this.text.length
        return rest
      }
      case 'step-restart':
        this.#restart()
        return ''
      case 'text-delta':
        // The answer of the sequence is what its last member has said.
        if (this.#hasMemberText && event.path.length === 1) return ''
        this.#hasMemberText ||= isMember
        return this.#say(event.text, event.path.join('/'))
      default:
        return ''
    }
  }

  #say(text: string, speaker: string): string {
    if (text === '') return ''
    if (speaker !== this.#speaker) {
      this.#speaker = speaker
      this.#isNewStep = true
    }
    if (this.#earlier === undefined) return this.#add(text)
    const { said, repeated } = this.#earlier
    if (said.startsWith(text, repeated)) {
      this.#earlier.repeated += text.length
      return ''
    }
    this.#earlier = undefined
    const rest = said.slice(repeated)
    if (text.startsWith(rest)) {
      this.#isNewStep = false
      return this.#add(text.slice(rest.length))
    }
    return this.#add(said.slice(0, repeated) + text)
  }

  #add(text: string): string {
    const added = this.#isNewStep && this.text !== '' ? `\n\n${text}` : text
    this.#isNewStep = false
    this.text += added
    return added
  }

  /** Text that was sent cannot be withdrawn: an attempt with another text begins after a blank line. */
  #restart(): void {
    const said = this.text.slice(this.#stepStart).replace(/^\n\n/, '')
    if (this.#canDrop) this.text = this.text.slice(0, this.#stepStart)
    else if (said !== '') this.#earlier = { said, repeated: 0 }
    this.#isNewStep = true
  }

  /** An attempt that ended before it had said all that the earlier one had. */
  #settleAttempt(): string {
    const { said, repeated } = this.#earlier ?? { said: '', repeated: 0 }
    this.#earlier = undefined
    return repeated === 0 || repeated === said.length ? '' : this.#add(said.slice(0, repeated))
  }

  #finish(event: RunEnd): string {
    this.end = event
    const rest = this.#settleAttempt()
    const isFailed = event.finishReason === 'error' || event.finishReason === 'aborted'
    // An answer that no step has said.
    return this.text === '' && event.text !== '' && !isFailed ? this.#add(event.text) : rest
  }

  #addSource(source: Citation): void {
    const { file, chunkId } = source
    if (!this.sources.some((known) => known.file === file && known.chunkId === chunkId)) this.sources.push(source)
  }

  #addApproval(event: Extract<AgentEvent, { type: 'approval-request' }>): void {
    const { approvalId, callId, name, input, kind, startedAt, path } = event
    if (this.approvals.some((known) => known.approvalId === approvalId)) return
    this.approvals.push({
      ...{ approvalId, callId, name, input, kind },
      ...(startedAt !== undefined && { startedAt }),
      ...(path.length > 1 && { path: path.slice(1) }),
    })
  }
}
