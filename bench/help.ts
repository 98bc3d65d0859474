/** Apart from the rest, which needs the packages to be built. */
const help = `npm run bench -- [row …] [--rounds=9] [--warm=5] [--peers]

Without rows, all of these; one whose name has a space is quoted:
  loop, 'one tool', tokens, segments, concurrency, plain, telemetry, history, stored, summarized, swarm, cold-start,
  first-answer, functions, http, providers (or the name of one), retrieval
Only when they are named:
  large-file, page, server, queue (or: queue cost), memory

  --rounds=9   how often each is measured
  --warm=5     seconds before that
  --peers      adds other libraries, which are installed first
  --json=file  keeps the figures; --svg=file draws the ratios

bench/README.md says what each row is.`

console.log(help)
