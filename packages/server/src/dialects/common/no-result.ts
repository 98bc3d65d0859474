/** What clients show as the result of a call whose agent has ended before the call had one. */
export const noResult = 'The call has no result: its agent ended first.'
