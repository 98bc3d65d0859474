// Loaded into the server that `npm start` runs: without it, a server whose parent was killed would keep its port.
process.channel?.unref()
process.once('disconnect', () => process.exit(1))
