export { buildPackages, builtEnvironment, holdBuild } from './build-packages.ts'
