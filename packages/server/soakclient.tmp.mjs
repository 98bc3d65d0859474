import { fork } from 'node:child_process'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
const seconds = Number(process.argv[2] ?? 180)
const child = fork('packages/server/soak.tmp.ts', { execArgv: ['--conditions=@agentkit/source', '--expose-gc', '--no-warnings'] })
const msg = () => new Promise((r) => child.once('message', r))
const { port } = await msg()
child.on('exit', (c, s) => console.log('server exit', c, s))
const figures = async () => { const m = msg(); child.send('figures'); return m }
const base = `http://127.0.0.1:${port}`
const pick = (list) => list[Math.floor(Math.random() * list.length)]
const userOf = (i) => ({ id: `u${i}`, auth: { authorization: `Bearer user-token-${String(i).padStart(10, '0')}` } })
const statuses = {}
const count = (k) => { statuses[k] = (statuses[k] ?? 0) + 1 }
const q = (content, extra = {}) => JSON.stringify({ session_id: extra.session_id ?? `s${Math.floor(Math.random() * 5)}`, messages: [{ role: 'user', content }], ...extra })
let n = 0
const known = []
async function one() {
  const u = userOf(Math.floor(Math.random() * 20))
  const json = { ...u.auth, 'content-type': 'application/json' }
  const kind = pick(['chat', 'chat', 'stream', 'stream', 'abort', 'abortstream', 'fail', 'hangabort', 'pay', 'paystream', 'resumable', 'resumabort', 'idem', 'idemstream', 'bg', 'bgfollow', 'upload', 'uploadabort', 'download', 'downloadabort', 'history', 'sessions', 'delete', 'bad', 'rawcut', 'paused', 'openai', 'ui', 'agui', 'mcp', 'a2a', 'usage', 'unauth', 'cancel', 'deltitle', 'chatfile'])
  const content = `${kind} ${pick(['', '', 'TOOL', 'LONG'])} ${n++}`
  const post = (path, body, more = {}, init = {}) => fetch(base + path, { method: 'POST', headers: { ...json, ...more }, body, ...init })
  let r
  const sse = { accept: 'text/event-stream' }
  const late = () => AbortSignal.timeout(Math.ceil(Math.random() * 60))
  const form = (name, size) => { const f = new FormData(); f.set('files', new File(['x'.repeat(size)], name)); return f }
  switch (kind) {
    case 'chat': r = await post('/api/v1/chat', q(content)); await r.text(); break
    case 'stream': r = await post('/api/v1/chat_stream', q(content)); await r.text(); break
    case 'abort': r = await post('/api/v1/chat', q(content), {}, { signal: late() }); await r.text(); break
    case 'abortstream': r = await post('/api/v1/chat_stream', q(content), {}, { signal: late() }); await r.text(); break
    case 'fail': r = await post(pick(['/api/v1/chat', '/api/v1/chat_stream']), q('FAIL ' + n)); await r.text(); break
    case 'hangabort': r = await post(pick(['/api/v1/chat', '/api/v1/chat_stream']), q('HANG ' + n), {}, { signal: AbortSignal.timeout(300) }); await r.text(); break
    case 'pay': case 'paystream': {
      r = await post('/api/v1/chat', q('PAY ' + n, { session_id: 'p' + n, ...(Math.random() < .5 && { resumable: true }) }), { accept: 'application/json' }); const b = await r.json()
      if (b.approvals?.[0] && Math.random() < .9) { const d = await post(`/api/v1/runs/${b.run_id}/approvals/${b.approvals[0].approval_id}`, JSON.stringify({ approve: Math.random() < .7 }), kind === 'pay' ? {} : sse, Math.random() < .3 ? { signal: late() } : {}); await d.text(); count('decide ' + d.status) }
      break }
    case 'resumable': r = await post('/api/v1/chat_stream', q(content, { resumable: true })); await r.text(); break
    case 'resumabort': { r = await post('/api/v1/chat_stream', q(content, { resumable: true }), {}); const id = r.headers.get('x-run-id'); await r.body.cancel()
      const f = await fetch(`${base}/api/v1/runs/${id}/events`, { headers: u.auth, ...(Math.random() < .5 && { signal: late() }) }); await f.text(); count('events ' + f.status); break }
    case 'idem': case 'idemstream': { const key = 'k' + n; const body = q(content); const p = kind === 'idem' ? '/api/v1/chat' : '/api/v1/chat_stream'
      const [a, b] = await Promise.allSettled([post(p, body, { 'idempotency-key': key }), post(p, body, { 'idempotency-key': key }, { signal: late() })]); r = a.value; await a.value?.text(); await b.value?.text().catch(() => {}); break }
    case 'bg': case 'bgfollow': { r = await post('/api/v1/runs', q(content)); const b = await r.json(); if (kind === 'bgfollow' && b.run_id) { const f = await fetch(`${base}/api/v1/runs/${b.run_id}/events`, { headers: u.auth, signal: AbortSignal.timeout(4000) }); await f.text(); count('bgevents ' + f.status) } if (Math.random() < .1) await (await post(`/api/v1/runs/${b.run_id}/cancel`, undefined, { 'content-type': 'application/json' })).text(); break }
    case 'upload': r = await fetch(base + '/api/v1/uploadfiles/', { method: 'POST', headers: { authorization: 'Bearer service-token-0000000' }, body: form(`f${n % 5}.txt`, 100_000) }); await r.text(); break
    case 'uploadabort': r = await fetch(base + '/api/v1/uploadfiles/', { method: 'POST', headers: { authorization: 'Bearer service-token-0000000' }, body: form(`g${n % 5}.txt`, 3_000_000), signal: AbortSignal.timeout(Math.ceil(Math.random() * 20)) }); await r.text(); break
    case 'chatfile': { const f = form('c.txt', 1000); f.set('user_id', 'u1'); f.set('session_id', 's'); f.set('chat_data', JSON.stringify({ messages: [{ role: 'user', content: 'x' }] })); r = await fetch(base + '/api/v1/chat', { method: 'POST', headers: { authorization: 'Bearer service-token-0000000' }, body: f, ...(Math.random() < .5 && { signal: late() }) }); await r.text(); break }
    case 'download': r = await fetch(base + '/api/v1/files/big.txt', { headers: u.auth }); await r.arrayBuffer(); break
    case 'downloadabort': r = await fetch(base + '/api/v1/files/big.txt', { headers: u.auth, signal: AbortSignal.timeout(Math.ceil(Math.random() * 15)) }); await r.arrayBuffer(); break
    case 'history': r = await fetch(base + pick(['/api/v1/chat_history?session_id=s1', '/api/v1/all_chats']), { headers: u.auth, ...(Math.random() < .3 && { signal: late() }) }); await r.text(); break
    case 'sessions': r = await fetch(base + '/api/v1/sessions', { headers: u.auth }); await r.text(); break
    case 'delete': r = await fetch(base + '/api/v1/sessions/' + pick(['s0', 's1', 's2', 's3', 's4']), { method: 'DELETE', headers: u.auth }); await r.text(); break
    case 'deltitle': r = await fetch(base + '/api/v1/sessions/s1', { method: 'PATCH', headers: json, body: '{"title":"x"}' }); await r.text(); break
    case 'bad': r = await post('/api/v1/chat', pick(['{', '[]', '{"a":1}', 'x'.repeat(9_000_000)])); await r.text(); break
    case 'unauth': r = await fetch(base + pick(['/api/v1/runs', '/nothing', '/health', '/ready', '/', '/api/v1/info'])); await r.text(); break
    case 'usage': r = await fetch(base + pick(['/api/v1/usage', '/api/v1/runs', '/api/v1/info', '/api/v1/files']), { headers: u.auth }); await r.text(); break
    case 'cancel': { r = await post('/api/v1/chat_stream', q('HANG ' + n, { resumable: true })); const id = r.headers.get('x-run-id'); const c = await post(`/api/v1/runs/${id}/cancel`, undefined); await c.text(); count('cancel ' + c.status); await r.text(); break }
    case 'rawcut': { const s = net.connect(port, '127.0.0.1'); s.on('error', () => {}); s.write(`POST /api/v1/chat HTTP/1.1\r\nhost: localhost\r\nauthorization: ${u.auth.authorization}\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"session_id"`); await sleep(Math.random() * 20); s.destroy(); count('rawcut'); return }
    case 'paused': { const s = net.connect(port, '127.0.0.1'); s.on('error', () => {}); const body = q('LONG ' + n, { resumable: Math.random() < .5 }); s.pause(); s.write(`POST /api/v1/chat_stream HTTP/1.1\r\nhost: localhost\r\nauthorization: ${u.auth.authorization}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`); await sleep(500); s.destroy(); count('paused'); return }
    case 'openai': r = await post('/v1/chat/completions', JSON.stringify({ model: 'a', stream: Math.random() < .5, messages: [{ role: 'user', content }] }), {}, Math.random() < .3 ? { signal: late() } : {}); await r.text(); break
    case 'ui': r = await post('/ui/chat', JSON.stringify({ id: 'ui' + n % 5, messages: [{ id: 'm' + n, role: 'user', parts: [{ type: 'text', text: content }] }] }), {}, Math.random() < .3 ? { signal: late() } : {}); await r.text(); break
    case 'agui': r = await post('/agui', JSON.stringify({ threadId: 'ag' + n % 5, runId: 'r' + n, state: {}, tools: [], context: [], forwardedProps: {}, messages: [{ id: 'm' + n, role: 'user', content }] }), sse, Math.random() < .3 ? { signal: late() } : {}); await r.text(); break
    case 'mcp': r = await post('/mcp', JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: 'ask_agent', arguments: { message: content, question: content } } }), { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }, Math.random() < .3 ? { signal: late() } : {}); await r.text(); break
    case 'a2a': r = await post('/a2a', JSON.stringify({ jsonrpc: '2.0', id: n, method: pick(['SendMessage', 'SendStreamingMessage']), params: { message: { messageId: 'm' + n, role: 'ROLE_USER', parts: [{ text: content }] } } }), { 'a2a-version': '1.0' }, Math.random() < .3 ? { signal: late() } : {}); await r.text(); break
  }
  count(kind + ' ' + r?.status)
}
console.log('start', await figures())
const until = Date.now() + seconds * 1000
const report = setInterval(async () => console.log(Math.round((until - Date.now()) / 1000), await figures()), 20_000)
const workerLoop = async () => { while (Date.now() < until) await one().catch((e) => count('thrown ' + (e.name ?? e))) }
await Promise.all(Array.from({ length: 16 }, workerLoop))
clearInterval(report)
console.log('done; waiting', n)
await sleep(12_000)
console.log('end', await figures())
const metrics = await (await fetch(base + '/metrics', { headers: { authorization: 'Bearer service-token-0000000' } })).text()
console.log(metrics.split('\n').filter((l) => /places|runs_|settled|oldest/.test(l) && !l.startsWith('#')).join('\n'))
console.log(JSON.stringify(Object.fromEntries(Object.entries(statuses).sort()), null, 0))
if (process.argv[3]) { const m = msg(); child.send({ snapshot: process.argv[3] }); await m }
child.send('close')
