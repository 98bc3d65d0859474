export type { CassetteOptions } from './cassette/canonical-request.ts'
export { type Cassette, parseCassette, type RecordedCall, type RecordedModel } from './cassette/parse-cassette.ts'
export { readCassette } from './cassette/read-cassette.ts'
export { type RecordOptions, record } from './cassette/record.ts'
export { type ReplayedModel, replay } from './cassette/replay.ts'
export {
  type CachedUsage,
  type CacheRules,
  type FakePromptCache,
  fakePromptCache,
} from './fake-provider/fake-prompt-cache.ts'
export { type FakeProvider, fakeProvider } from './fake-provider/fake-provider.ts'
export type {
  FakeAnswer,
  FakeFailure,
  FakeFrames,
  FakeScript,
  FakeStatus,
  FakeToolCall,
  FakeTurn,
  FakeWire,
  RecordedRequest,
  StreamFault,
  Transport,
} from './fake-provider/wires/script.ts'
export type { ScriptedAnswer, ScriptedToolCall } from './scripted-answer.ts'
export { type ScriptedModel, type ScriptedModelOptions, type ScriptedTurn, scriptedModel } from './scripted-model.ts'
