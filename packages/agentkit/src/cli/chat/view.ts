import { styleText } from 'node:util'
import { type AgentEvent, terminalLine, terminalText, type Usage } from '@agentkit/core'
import { Speakers } from '@agentkit/core/internal'
import { fitToWidth } from '../common/text-width.ts'

type Style = Parameters<typeof styleText>[0]
type RunEnd = Extract<AgentEvent, { type: 'run-end' }>

/** The most of a member's text that a line shows. */
const maxText = 2_000
/** The events after which a member writes no more of a text. */
const textEnds = new Set<AgentEvent['type']>(['tool-call', 'step-restart', 'step-end', 'agent-end'])

/**
 * Shows the events of one answer as they come: the text of the agent that has the conversation, and the tools and members as lines.
 *
 * @param speaker of `Runnable.speaker`: of a workflow, the texts of its agents are lines
 */
export function createView(
  write: (text: string) => Promise<void>,
  speaker?: string,
): {
  show(event: AgentEvent): Promise<void>
  /** The line below an answer, with its usage. */
  end(end: RunEnd, startedAt: number): Promise<void>
  /** Whether the shown text ends with a line break. */
  isAtLineStart(): boolean
} {
  const speakers = new Speakers({ speaker })
  /** The texts of the agents of a workflow, by their paths. */
  const texts = new Map<string, string>()
  let isAtLineStart = true
  let held = ''

  const print = async (text: string): Promise<void> => {
    if (text === '') return
    isAtLineStart = text.endsWith('\n')
    await write(text)
  }
  const note = async (style: Style, text: string): Promise<void> => {
    if (!isAtLineStart) await print('\n')
    await print(`${painted(style, fitting(terminalLine(text)))}\n`)
  }

  return {
    async show(event) {
      const isShown = speakers.isShown(event)
      const who = event.path.length > 1 ? `[${event.path.at(-1)}] ` : ''
      if (textEnds.has(event.type)) {
        const key = event.path.join('/')
        const text = (texts.get(key) ?? '').replaceAll(/\s+/g, ' ').trim()
        texts.delete(key)
        if (text !== '' && event.type !== 'step-restart') await note('dim', `${who}${text}`)
      }
      switch (event.type) {
        case 'text-delta': {
          if (!isShown) {
            if (event.path.length !== 2 || event.path[0] !== speaker) return
            const key = event.path.join('/')
            texts.set(key, ((texts.get(key) ?? '') + event.text).slice(0, maxText))
            return
          }
          // A line end and an emoji of two characters may come in two parts.
          const text = held + event.text
          held = /[\r\ud800-\udbff]$/.exec(text)?.[0] ?? ''
          return print(terminalText(text.slice(0, text.length - held.length)))
        }
        case 'agent-start':
          return event.path.length > 1 ? note('cyan', `${who}begins`) : undefined
        case 'agent-end':
          return event.path.length > 1
            ? note('cyan', `${who}${event.status}${event.reason === undefined ? '' : `: ${event.reason}`}`)
            : undefined
        case 'tool-call':
          return note('dim', `${who}→ ${event.name} ${JSON.stringify(event.input) ?? ''}`)
        case 'tool-result': {
          const output = typeof event.output === 'string' ? event.output : (JSON.stringify(event.output) ?? '')
          const mark = event.isError ? '✗' : '←'
          const line = `${who}${mark} ${event.name} (${Math.round(event.durationMs)} ms) ${output.replaceAll(/\s+/g, ' ')}`
          return note(event.isError ? 'red' : 'dim', line)
        }
        case 'handoff':
          return note('cyan', `${who}hands the conversation to ${event.to}`)
        case 'model-fallback':
          return note('yellow', `${who}${event.from} failed (${event.error.code}): ${event.to} answers`)
        case 'step-restart':
          return note('yellow', `${who}begins again (${event.error.code})`)
        default:
          return
      }
    },
    async end({ finishReason, usage, cost, error }, startedAt) {
      if (!isAtLineStart) await print('\n')
      if (error && finishReason !== 'aborted')
        await print(`${painted('red', terminalText(`${error.code}: ${error.message}`))}\n`)
      const facts = [
        `${countOf(usage.inputTokens, usage)} tokens in, ${countOf(usage.outputTokens, usage)} out`,
        ...(cost ? [`${cost.estimated ? '~' : ''}$${cost.usd.toFixed(cost.usd < 0.01 ? 5 : 2)}`] : []),
        `${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
        ...(finishReason === 'stop' ? [] : [finishReason === 'aborted' ? 'stopped' : finishReason]),
      ]
      await print(`${painted('dim', facts.join(' · '))}\n`)
    },
    isAtLineStart: () => isAtLineStart,
  }
}

/** A number of tokens, `~` where it is estimated, and `?` where it is not known. */
function countOf(tokens: number | undefined, { estimated }: Usage): string {
  return tokens === undefined ? '?' : `${estimated ? '~' : ''}${tokens}`
}

/** Cut to one line of the terminal, so that a long input of a tool does not hide the answer. */
function fitting(line: string): string {
  const { columns } = process.stdout
  if (columns === undefined) return line.slice(0, 2_000)
  return fitToWidth(line, Math.max(10, columns - 1))
}

/** In colour on a terminal, unless `NO_COLOR` is set. */
export function painted(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}
