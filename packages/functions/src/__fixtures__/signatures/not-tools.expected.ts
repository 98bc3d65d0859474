/** A function that cannot be a tool, and what its error must say. */
export type Refused = {
  name: string
  /** The parameter, with the path to what is wrong in it; for functions that are wrong as a whole, a word of it. */
  parameter: string
  /** As TypeScript writes it, or its beginning. */
  type: string
  /** What to write instead. */
  fix: RegExp
}

const asWords = /string|text/i
const asData = /object|fields|string|interface|type/i
const noFunction = /leave|remove|move|string|data|instead|tool\(/i
const described = /describe|description|comment|@param|type/i

export const notTools: Refused[] = [
  { name: 'watchFile', parameter: 'onChange', type: '=> void', fix: noFunction },
  { name: 'watchFiles', parameter: 'options.onChange', type: '=> void', fix: noFunction },
  { name: 'cloneRepository', parameter: 'repository.fetch', type: '=> Promise<void>', fix: noFunction },
  { name: 'runBatch', parameter: 'batch.jobs', type: 'Account', fix: asData },
  { name: 'runHooks', parameter: 'hooks', type: '=> void', fix: noFunction },
  { name: 'handleEvents', parameter: 'handlers', type: '=> void', fix: noFunction },
  { name: 'fillIn', parameter: 'value', type: '=> string', fix: noFunction },
  { name: 'routeRequests', parameter: 'routes', type: '=> string', fix: noFunction },
  { name: 'download', parameter: 'onProgress', type: '=> void', fix: noFunction },
  { name: 'callAny', parameter: 'callback', type: 'Function', fix: noFunction },
  { name: 'makeAccount', parameter: 'type', type: 'typeof Account', fix: asData },
  { name: 'mark', parameter: 'key', type: 'symbol', fix: asWords },
  { name: 'countTo', parameter: 'end', type: 'bigint', fix: /number|string/i },
  { name: 'closeAccount', parameter: 'account', type: 'Account', fix: asData },
  { name: 'reopenAccount', parameter: 'account', type: 'Account', fix: asData },
  { name: 'storeScores', parameter: 'scores', type: 'Map<string, number>', fix: /Record/ },
  { name: 'storeWords', parameter: 'words', type: 'Set<string>', fix: /array|list|\[\]/i },
  { name: 'replaceText', parameter: 'search', type: 'RegExp', fix: asWords },
  { name: 'openPage', parameter: 'page', type: 'URL', fix: asWords },
  { name: 'uploadFile', parameter: 'content', type: 'Buffer', fix: asWords },
  { name: 'hashBytes', parameter: 'bytes', type: 'Uint8Array', fix: asWords },
  { name: 'waitFor', parameter: 'value', type: 'Promise<string>', fix: /string|value|await/i },
  { name: 'reportFailure', parameter: 'failure', type: 'Error', fix: asWords },
  { name: 'fetchUntil', parameter: 'signal', type: 'AbortSignal', fix: /ToolContext/ },
  { name: 'readStream', parameter: 'stream', type: 'ReadableStream', fix: asWords },
  { name: 'answerRequest', parameter: 'request', type: 'Request', fix: asData },
  { name: 'walk', parameter: 'items', type: 'Iterable<string', fix: /array|list|\[\]/i },
  { name: 'storeAny', parameter: 'value', type: 'any', fix: described },
  { name: 'storeUnknown', parameter: 'value', type: 'unknown', fix: described },
  { name: 'storeOf', parameter: 'value', type: 'Value', fix: /extends|bound|constrain/i },
  { name: 'takeVoid', parameter: 'nothing', type: 'void', fix: /leave|remove|type/i },
  { name: 'takeNever', parameter: 'impossible', type: 'never', fix: /leave|remove|type/i },
  { name: 'takeUndefined', parameter: 'absent', type: 'undefined', fix: /leave|remove|type/i },
  { name: 'format', parameter: 'format', type: 'overload', fix: /one signature|union|single|wrap|tool\(|one of/i },
  { name: 'askFirst', parameter: 'context', type: 'ToolContext', fix: /last/i },
  { name: 'askLater', parameter: 'options.context', type: 'ToolContext', fix: /last|parameter/i },
  { name: 'payInvoice', parameter: 'invoice', type: 'Invoice', fix: /import|find|found|resolve|declare/i },
  { name: 'sendInvoice', parameter: 'invoice', type: 'Invoce', fix: /import|find|found|resolve|declare/i },
  { name: 'größe', parameter: 'größe', type: 'name', fix: /letters|rename|call it/i },
  { name: '$select', parameter: '$select', type: 'name', fix: /letters|rename|call it/i },
  {
    name: 'aFunctionWhoseNameSaysSoMuchThatNoProviderOfModelsWouldEverAcceptIt',
    parameter: 'aFunctionWhoseName',
    type: 'name',
    fix: /64/,
  },
  { name: 'compareBoxes', parameter: 'options', type: 'options', fix: /@param|name/i },
  { name: 'countDown', parameter: 'countDown', type: 'generator', fix: /return|list|array/i },
  { name: 'storePairs', parameter: 'pairs', type: '=> void', fix: noFunction },
]

export const notToolsInJavaScript: Refused[] = [
  { name: 'addValues', parameter: 'left', type: 'any', fix: described },
  { name: 'callLater', parameter: 'callback', type: 'Function', fix: noFunction },
  { name: 'openWindow', parameter: 'options', type: 'Windw', fix: /import|find|found|resolve|declare/i },
]
