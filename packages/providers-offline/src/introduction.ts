/** What every conversation with it begins with, so that nobody takes it for a language model. */
export const introduction = 'I am the offline stand-in, not a language model.'
