import type { AssistantPart, Message } from '../data/message.ts'
import type { Model, ModelInfo, ModelRequest } from '../contracts/model.ts'
import type { ModelFinishReason } from '../data/event.ts'

/**
 * A model that answers only from its messages: it calls a look-up tool when it is asked to, finds answers in the
 * conversation, and summarizes by keeping whole sentences, those about the user first.
 *
 * @param see receives each request
 */
export function attentiveModel(info: ModelInfo, see: (request: ModelRequest) => void): Model {
  return {
    id: 'test/attentive',
    info,
    async *stream(request) {
      see(request)
      const part = answerTo(request)
      const reason: ModelFinishReason = part.type === 'tool-call' ? 'tool-calls' : 'stop'
      if (part.type === 'tool-call')
        yield { type: 'tool-call', callId: part.callId, name: part.name, input: part.input }
      yield { type: 'finish', reason, usage: {}, message: { v: 1, role: 'assistant', content: [part] } }
    },
  }
}

function answerTo({ messages, maxOutputTokens = Number.POSITIVE_INFINITY }: ModelRequest): AssistantPart {
  const texts = messages.map(textOf)
  const question = texts[messages.findLastIndex(({ role }) => role === 'user')] ?? ''
  if (texts[0]?.startsWith('Summarise')) return text(summaryOf(question, maxOutputTokens))
  const wanted = /Look up (\w+)\./.exec(question)?.[1]
  if (wanted !== undefined && messages.at(-1)?.role === 'user') {
    return { type: 'tool-call', callId: `about_${wanted}`, name: 'look_up', input: { about: wanted } }
  }
  const thing = /What is my (\w+)\?/.exec(question)?.[1]
  if (thing === undefined) return text('I see. That is interesting, tell me more about it.')
  const found = new RegExp(`My ${thing} is (\\w+)\\.`).exec(texts.join('\n'))?.[1]
  return text(found === undefined ? 'I do not know.' : `It is ${found}.`)
}

function summaryOf(prompt: string, maxTokens: number): string {
  const sentences = [...new Set(prompt.match(/[^.!?\n]+[.!?]/g)?.map((sentence) => sentence.trim()))]
  const isOfUser = (sentence: string): boolean => /\bMy\b/.test(sentence)
  const kept: string[] = []
  // A token is about four characters; the limit cuts the answer.
  let room = maxTokens * 2
  for (const sentence of [...sentences.filter(isOfUser), ...sentences.filter((other) => !isOfUser(other))]) {
    room -= sentence.length + 1
    if (room < 0) break
    kept.push(sentence.replace(/^User: /, ''))
  }
  return kept.join(' ')
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')
}

function text(value: string): AssistantPart {
  return { type: 'text', text: value }
}
