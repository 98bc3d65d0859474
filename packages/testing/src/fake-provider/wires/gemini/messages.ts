/** A message of a request, or a part of one. */
export type MessageName =
  | 'GenerateContentRequest'
  | 'Content'
  | 'Part'
  | 'Blob'
  | 'FileData'
  | 'FunctionCall'
  | 'FunctionResponse'
  | 'FunctionResponsePart'
  | 'Tool'
  | 'FunctionDeclaration'
  | 'Schema'
  | 'ToolConfig'
  | 'FunctionCallingConfig'
  | 'GenerationConfig'
  | 'ThinkingConfig'
  | 'BatchEmbedContentsRequest'
  | 'EmbedContentRequest'

/** The messages of the API as its proto files define them: `name:type`, `[]` for a list, `{}` for a map with text keys. */
const definitions: Record<MessageName, string> = {
  GenerateContentRequest:
    'model:string contents:Content[] systemInstruction:Content tools:Tool[] toolConfig:ToolConfig safetySettings:any[] ' +
    'generationConfig:GenerationConfig cachedContent:string serviceTier:string store:boolean',
  Content: 'role:string parts:Part[]',
  Part:
    'text:string inlineData:Blob fileData:FileData functionCall:FunctionCall functionResponse:FunctionResponse ' +
    'executableCode:any codeExecutionResult:any toolCall:any toolResponse:any thought:boolean thoughtSignature:bytes ' +
    'videoMetadata:any mediaResolution:any partMetadata:struct',
  Blob: 'mimeType:string data:bytes displayName:string',
  FileData: 'mimeType:string fileUri:string displayName:string',
  FunctionCall: 'id:string name:string args:struct',
  FunctionResponse:
    'id:string name:string response:struct parts:FunctionResponsePart[] willContinue:boolean scheduling:string',
  FunctionResponsePart: 'inlineData:Blob fileData:FileData',
  Tool:
    'functionDeclarations:FunctionDeclaration[] googleSearch:any googleSearchRetrieval:any googleMaps:any ' +
    'codeExecution:any computerUse:any urlContext:any fileSearch:any mcpServers:any[]',
  FunctionDeclaration:
    'name:string description:string parameters:Schema parametersJsonSchema:any response:Schema ' +
    'responseJsonSchema:any behavior:string',
  Schema:
    'type:string format:string title:string description:string nullable:boolean enum:string[] maxItems:int64 ' +
    'minItems:int64 properties:Schema{} required:string[] minProperties:int64 maxProperties:int64 minLength:int64 ' +
    'maxLength:int64 pattern:string example:any anyOf:Schema[] propertyOrdering:string[] default:any items:Schema ' +
    'minimum:number maximum:number',
  ToolConfig:
    'functionCallingConfig:FunctionCallingConfig retrievalConfig:any includeServerSideToolInvocations:boolean',
  FunctionCallingConfig: 'mode:string allowedFunctionNames:string[]',
  GenerationConfig:
    'stopSequences:string[] candidateCount:int32 maxOutputTokens:int32 temperature:number topP:number topK:number ' +
    'seed:int32 responseMimeType:string responseSchema:Schema responseJsonSchema:any presencePenalty:number ' +
    'frequencyPenalty:number responseLogprobs:boolean logprobs:int32 responseModalities:string[] speechConfig:any ' +
    'thinkingConfig:ThinkingConfig imageConfig:any mediaResolution:string audioTranscriptionConfig:any ' +
    'enableEnhancedCivicAnswers:boolean',
  ThinkingConfig: 'includeThoughts:boolean thinkingBudget:int32 thinkingLevel:string',
  BatchEmbedContentsRequest: 'requests:EmbedContentRequest[]',
  EmbedContentRequest:
    'model:string content:Content taskType:string title:string outputDimensionality:int32 embedContentConfig:any',
}

/** A field of a message; `repeated` is a list or a map. */
export type Field = { type: string; repeated?: 'list' | 'map' }

const parsed = new Map<string, ReadonlyMap<string, Field>>()

/** The fields of a message by their JSON names, or `undefined` for an unknown message. */
export function fieldsOfMessage(name: string): ReadonlyMap<string, Field> | undefined {
  const known = parsed.get(name)
  if (known) return known
  if (!isMessageName(name)) return undefined
  const fields = new Map<string, Field>()
  for (const definition of definitions[name].split(' ')) {
    const [field = '', type = ''] = definition.split(':')
    if (type.endsWith('[]')) fields.set(field, { type: type.slice(0, -2), repeated: 'list' })
    else if (type.endsWith('{}')) fields.set(field, { type: type.slice(0, -2), repeated: 'map' })
    else fields.set(field, { type })
  }
  parsed.set(name, fields)
  return fields
}

function isMessageName(name: string): name is MessageName {
  return Object.hasOwn(definitions, name)
}
