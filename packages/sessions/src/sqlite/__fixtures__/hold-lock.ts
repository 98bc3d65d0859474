// Acquires the write lock of a database, prints "locked", and holds it until its input ends.
// node hold-lock.ts <path>
import { DatabaseSync } from 'node:sqlite'

const database = new DatabaseSync(process.argv[2] ?? '')
database.exec('BEGIN IMMEDIATE')
console.log('locked')
process.stdin.on('end', () => {
  database.exec('ROLLBACK')
  database.close()
  console.log('unlocked')
})
process.stdin.resume()
