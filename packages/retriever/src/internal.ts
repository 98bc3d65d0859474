// For agentkit's own packages, not for users: this entry follows no semver and may change in any release.

export { type LiveSegment, liveSegment } from './bm25/live-segment.ts'
export { mergeSegments } from './bm25/merge-segments.ts'
export { queryWords } from './bm25/query-words.ts'
export { rank } from './bm25/rank.ts'
export { mostDocs } from './bm25/segment.ts'
export { segmentBuilder } from './bm25/segment-builder.ts'
export { eachWord } from './bm25/words.ts'
export { inspectIndex } from './inspect-index.ts'
export { timeSlices } from './util/time-slices.ts'
