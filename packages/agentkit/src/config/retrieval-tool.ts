/** The kinds of index that an agent's files can be searched with. */
export const retrievalTools = ['basic', 'localstore', 'cloudindex-serverless', 'cloudindex-pod'] as const

export type RetrievalTool = (typeof retrievalTools)[number]
