import { lanceSpace } from '../store/lance/lance-space.ts'

// Drops the index of a folder, and waits to be killed.
const [folder = ''] = process.argv.slice(2)
const space = lanceSpace(folder)
await space.generations()
process.stdout.write('drops\n')
await space.drop('crash')
setInterval(() => {}, 1000)
