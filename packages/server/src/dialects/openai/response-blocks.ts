import type { Citation } from '@agentkit/core'
import {
  type BlockKind,
  blockBegin,
  citation,
  type Frame,
  type Item,
  newBlock,
  summaryEnd,
  summaryPart,
  textEnd,
  textPart,
} from './response-items.ts'
import type { ResponseOutput } from './response-output.ts'

type Block = { kind: BlockKind; item: Item; index: number; text: string }

/** The items of a response that grow: a message for the text of each step, and summaries for its reasoning. */
export class ResponseBlocks {
  /** The citations of the next message. */
  sources: Citation[] = []
  readonly #output: ResponseOutput
  #open: Block | undefined

  constructor(output: ResponseOutput) {
    this.#output = output
  }

  add(kind: BlockKind, text: string, runId: string): Frame[] {
    if (text === '') return []
    const known = this.#open?.kind === kind ? this.#open : undefined
    const frames = known ? [] : this.close()
    const block = known ?? this.#begin(kind, runId, frames)
    block.text += text
    const place = { item_id: block.item.id, output_index: block.index }
    if (kind === 'message') {
      frames.push({ type: 'response.output_text.delta', ...place, content_index: 0, delta: text, logprobs: [] })
    } else {
      frames.push({ type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta: text })
    }
    return frames
  }

  #begin(kind: BlockKind, runId: string, frames: Frame[]): Block {
    const id = this.#output.newId(kind === 'message' ? 'msg' : 'rs', runId)
    const item = newBlock(kind, id)
    const { frame, index } = this.#output.begin(item)
    frames.push(frame, blockBegin(kind, { item_id: id, output_index: index }))
    this.#open = { kind, item, index, text: '' }
    return this.#open
  }

  close(status: 'completed' | 'incomplete' = 'completed'): Frame[] {
    const block = this.#open
    if (!block) return []
    this.#open = undefined
    const { kind, item, index, text } = block
    item.status = status
    const place = { item_id: item.id, output_index: index }
    if (kind === 'reasoning') {
      item.summary = [summaryPart(text)]
      return [...summaryEnd(place, text), this.#output.end(item, index)]
    }
    const annotations = this.sources.splice(0).map((source) => citation(source, text))
    item.content = [textPart(text, annotations)]
    return [...textEnd(place, text, annotations), this.#output.end(item, index)]
  }
}
