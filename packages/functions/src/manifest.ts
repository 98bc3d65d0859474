export { type BuildManifestOptions, buildManifest, type ManifestBuild } from './manifest/build-manifest.ts'
export { type CheckManifestOptions, checkManifest, type ManifestCheck } from './manifest/check-manifest.ts'
