/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JSONValue = string | number | boolean | null | JSONValue[] | { [key: string]: JSONValue }

/** A JSON Schema (draft 4 to 2020-12) as plain data. */
export type JSONSchema = { [key: string]: unknown }

/**
 * Data that only one provider can read: a signature, encrypted reasoning. It is sent back to its owner only.
 */
export type Opaque = {
  /** The `provider/model` that created it. */
  owner: string
  /** The data as the provider returned it. */
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

/**
 * What `chat()` and `stream()` accept: stored parts, and bytes or URLs that become parts. Bytes of an image or a PDF need no
 * `mediaType`; any other file does.
 */
export type InputPart =
  | UserPart
  | { type: 'image'; data: Uint8Array | URL; mediaType?: string; name?: string }
  | { type: 'file'; data: Uint8Array | URL; mediaType?: string; name?: string }

/** The reasoning of a model before its answer, where its provider shows it. */
export type ReasoningPart = { type: 'reasoning'; text: string; opaque?: Opaque }
/** A tool call of a model. */
export type ToolCallPart = {
  type: 'tool-call'
  /** The id of the call, unique in its message. */
  callId: string
  /** The name of the tool. */
  name: string
  /** The arguments; `{}` when the model wrote invalid JSON. */
  input: JSONValue
  /** The text that the model wrote, when it is invalid JSON. */
  inputText?: string
  /** What the provider needs back with the call. */
  opaque?: Opaque
}
/** A part of an answer of a model. */
export type AssistantPart = { type: 'text'; text: string; opaque?: Opaque } | ReasoningPart | ToolCallPart

type Versioned = { v?: 1 }
/** The instruction of an agent. */
export type SystemMessage = Versioned & { role: 'system'; content: string }
/** A message of the user: a text, or a list of parts. */
export type UserMessage = Versioned & { role: 'user'; content: string | UserPart[] }
/** An answer of a model: text, reasoning and tool calls. */
export type AssistantMessage = Versioned & {
  role: 'assistant'
  /** The parts of the answer, in order. */
  content: AssistantPart[]
  /** The model that answered, as `provider/model`. */
  model?: string
}
/** The result of a tool call. */
export type ToolMessage = Versioned & {
  role: 'tool'
  /** The id of the call that it answers. */
  callId: string
  /** The name of the tool. */
  name: string
  /** What the model reads: text, or parts. */
  content: string | (TextPart | ImagePart)[]
  /** Whether the call failed or was denied. */
  isError?: boolean
  /** The tool has `keepResult`: a conversation that is too long keeps this result while there is room. */
  kept?: boolean
}

/** One message of a conversation: versioned plain JSON, a closed union. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
