/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JSONValue = string | number | boolean | null | JSONValue[] | { [key: string]: JSONValue }

/** A JSON Schema (draft 2020-12 or 7) as plain data. */
export type JSONSchema = { [key: string]: unknown }

/**
 * Data that only one provider can read: a signature, encrypted reasoning. It is sent back to its owner only.
 */
export type Opaque = {
  /** The `provider/model` that created it. */
  owner: string
  data: JSONValue
}

/** A text. */
export type TextPart = { type: 'text'; text: string }
/** An image, as base64 or by URL: exactly one of the two. */
export type ImagePart = { type: 'image'; base64?: string; url?: string; mediaType?: string }
/** A file, as base64 or by URL: exactly one of the two. */
export type FilePart = { type: 'file'; base64?: string; url?: string; mediaType: string; name?: string }

/** A part of a user's message, as plain JSON. */
export type UserPart = TextPart | ImagePart | FilePart

/** What `chat()` and `stream()` accept: stored parts, and bytes or URLs that become parts. */
export type InputPart =
  | UserPart
  | { type: 'image'; data: Uint8Array | URL; mediaType?: string; name?: string }
  | { type: 'file'; data: Uint8Array | URL; mediaType?: string; name?: string }

/** What a model has thought before it answered, as far as its provider shows it. */
export type ReasoningPart = { type: 'reasoning'; text: string; opaque?: Opaque }
/** A call of a tool that a model asks for. */
export type ToolCallPart = {
  type: 'tool-call'
  callId: string
  name: string
  /** The arguments; `{}` when the model wrote invalid JSON. */
  input: JSONValue
  /** The text that the model wrote, when it is invalid JSON. */
  inputText?: string
  opaque?: Opaque
}
/** A part of an answer of a model. */
export type AssistantPart = { type: 'text'; text: string; opaque?: Opaque } | ReasoningPart | ToolCallPart

type Versioned = { v?: 1 }
/** The instruction of an agent. */
export type SystemMessage = Versioned & { role: 'system'; content: string }
/** What a user says. */
export type UserMessage = Versioned & { role: 'user'; content: string | UserPart[] }
/** An answer of a model: text, reasoning and tool calls. */
export type AssistantMessage = Versioned & { role: 'assistant'; content: AssistantPart[]; model?: string }
/** The result of a tool call. */
export type ToolMessage = Versioned & {
  role: 'tool'
  callId: string
  name: string
  content: string | (TextPart | ImagePart)[]
  isError?: boolean
  /** Its tool says `keepResult`: a conversation that is too long keeps it for as long as there is room. */
  kept?: boolean
}

/** One message of a conversation: versioned plain JSON, a closed union. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
