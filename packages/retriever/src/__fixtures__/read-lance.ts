import { lanceSpace } from '../store/lance/lance-space.ts'

// Searches in the index of a folder, and closes nothing.
const [folder = ''] = process.argv.slice(2)
const store = await lanceSpace(folder).open('first', {})
await store.searchText('anything', { limit: 5, filter: {} })
