/** Calls `work` once this turn of the event loop is over. Only Node has `setImmediate`. */
export const afterThisTurn: (work: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout
