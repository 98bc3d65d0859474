import { type Fields, isFields } from './wires/wire-spec.ts'

/** The API of a request's body. */
export type Wire = 'openai' | 'anthropic' | 'gemini'

/** A part of a prompt, and whether its end is marked. */
export type Piece = { text: string; isMarked: boolean }

export type Prompt = {
  pieces: Piece[]
  /** The key that the request is routed by; empty without one. */
  key: string
  /** Whether the provider marks the end itself. */
  implicitEnd: boolean
}

/** The parts of a request's prompt in the order in which a model reads them, with all that clears a cache. */
export function promptOf(wire: Wire, body: unknown): Prompt {
  const fields = isFields(body) ? body : {}
  const key = typeof fields.prompt_cache_key === 'string' ? fields.prompt_cache_key : ''
  const mode = isFields(fields.prompt_cache_options) ? fields.prompt_cache_options.mode : 'implicit'
  return { pieces: readers[wire](fields), key, implicitEnd: mode !== 'explicit' }
}

const readers: Record<Wire, (body: Fields) => Piece[]> = {
  openai({ tools, text, response_format, instructions, input, messages }) {
    // Structured outputs precede the instructions.
    const head = [...listOf(tools), ...present(text), ...present(response_format), ...present(instructions)]
    return [...head, ...listOf(input ?? messages)].map(pieceOf)
  },
  anthropic({ tools, system, tool_choice, thinking, messages }) {
    // A change of these settings clears the cache of messages, but not the cache of tools and instructions.
    const settings = { text: `\0${JSON.stringify([tool_choice, thinking])}`, isMarked: false }
    const head = [...listOf(tools), ...listOf(system)].map(pieceOf)
    return [...head, settings, ...blocksOf(messages, 'content')]
  },
  gemini({ tools, systemInstruction, toolConfig, contents }) {
    const head = [...listOf(tools), ...present(toolConfig), ...present(systemInstruction)]
    return [...head.map(pieceOf), ...blocksOf(contents, 'parts')]
  },
}

/** The blocks of each turn, with its role: turns of one role may be joined. */
function blocksOf(turns: unknown, field: 'content' | 'parts'): Piece[] {
  return listOf(turns).flatMap((turn) => {
    const { role, [field]: blocks } = isFields(turn) ? turn : {}
    return listOf(blocks).map((block) => {
      const { text, isMarked } = pieceOf(block)
      return { text: `${role}:${text}`, isMarked }
    })
  })
}

const markers = ['prompt_cache_breakpoint', 'cache_control']

function pieceOf(value: unknown): Piece {
  let isMarked = false
  const text = JSON.stringify(value, (name, child) => {
    if (!markers.includes(name) || !isFields(child)) return child
    isMarked = true
    return undefined
  })
  return { text, isMarked }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
}

function present(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value]
}
