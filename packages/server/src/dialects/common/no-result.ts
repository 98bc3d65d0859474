/** What clients show as the result of a call whose agent has ended before the call had one. */
export const noResult = 'It has no result: the agent has ended before.'
