const { stripTypeScriptTypes } = require('node:module')

/** For webpack, which reads no TypeScript: types become blanks, so that all keeps its place. */
module.exports = function stripTypes(source) {
  return stripTypeScriptTypes(source)
}
