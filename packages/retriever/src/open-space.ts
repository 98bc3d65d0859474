import { join } from 'node:path'
import { isRemote, type RetrieverSettings } from './options.ts'
import { lanceSpace } from './store/lance/lance-space.ts'
import { cloudSpace } from './store/pinecone/cloud-space.ts'
import { sqliteSpace } from './store/sqlite/sqlite-space.ts'
import type { StoreSpace } from './store/store.ts'

/** Opens the storage of a retrieval tool's indexes. */
export function openSpace({ tool, indexPath, cloud }: RetrieverSettings): StoreSpace {
  switch (tool) {
    case 'basic':
      return sqliteSpace(join(indexPath, tool))
    case 'localstore':
      return lanceSpace(isRemote(indexPath) ? indexPath : join(indexPath, tool))
    case 'cloudindex-serverless':
    case 'cloudindex-pod':
      return cloudSpace({ folder: join(indexPath, tool), retrievalTool: tool, cloud })
  }
}
