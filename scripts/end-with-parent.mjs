// Loaded into the server that `npm start` runs: when its parent was killed, nobody could end it any more, or find its port.
process.channel?.unref()
process.once('disconnect', () => process.exit(1))
