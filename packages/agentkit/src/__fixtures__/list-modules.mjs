import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    process.stderr.write(`${url}\n`)
    return next(url, context)
  },
})
