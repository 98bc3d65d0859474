export { SDKContext } from './config/sdk-context.ts'
