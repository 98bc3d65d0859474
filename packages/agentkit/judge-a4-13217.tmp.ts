import { createRetriever, extractFile, isUnreadableFile } from '@agentkit/retriever'
import { Agent } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
import { makePdf } from '../retriever/src/__fixtures__/make-pdf.ts'
import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
const d = fs.mkdtempSync(path.join(os.tmpdir(),'ju-')); process.chdir(d)
for (const k of Object.keys(process.env)) if (/API_KEY|LLMPROV/.test(k)) delete process.env[k]
fs.mkdirSync('f')
const w=(n:string,b:any)=>{fs.mkdirSync(path.dirname('f/'+n),{recursive:true});fs.writeFileSync('f/'+n,b)}
const tool = process.argv[2] as any ?? 'basic'
console.log('TOOL',tool)
w('a.md','# A\nThe aardvark eats ants at dawn.\n'); w('b.pdf',makePdf([{lines:['The badger digs tunnels.']},{lines:['The second page: beavers build dams.']}])); w('c/d.txt','The dingo howls.'); w('c/e.MD','# E\nThe emu runs.'); w('cc/x.txt','dingo two')
const r = createRetriever({folder:'f',indexPath:'ix',retrievalTool:tool})
console.log('search before any sync', await r.search('aardvark'), await r.files(), (await r.verify()), fs.existsSync('ix'))
try { await r.resolve('zzz') } catch(e:any) { console.log(e.code,e.message) }
console.log(await r.sync())
const [h0]=await r.search('aardvark'); console.log(h0)
const [hb]=await r.search('beavers dams'); console.log(hb.page,hb.pageEnd,hb.quote)
// edit
w('a.md','# A\nThe aardvark eats ants at dusk.\n'); let rep=await r.sync(); console.log('edit',rep.indexed,rep.unchanged)
try { console.log('RESOLVED?!',await r.resolve(h0.chunkId)) } catch(e:any) { console.log(e.code,e.message) }
const [h1]=await r.search('aardvark'); console.log(h1.chunkId!==h0.chunkId,h1.quote)
// touch without change
fs.utimesSync('f/a.md',new Date(),new Date()); rep=await r.sync(); console.log('touch',rep.indexed,rep.unchanged)
// rename
fs.renameSync('f/c/d.txt','f/c/renamed.txt'); rep=await r.sync(); console.log('rename',rep.indexed,rep.unchanged,rep.removed); console.log((await r.search('dingo')).map(x=>x.file))
// same size+mtime edit
const st=fs.statSync('f/a.md'); w('a.md','# A\nThe aardvark eats ants at noon.\n'); fs.utimesSync('f/a.md',st.atime,st.mtime); rep=await r.sync(); console.log('same size & mtime',rep.indexed)
// corrupt new version
fs.writeFileSync('f/b.pdf',makePdf([{lines:['x']}],{password:true})); rep=await r.sync(); console.log('encrypted now',rep.indexed,rep.unchanged,rep.removed,rep.skipped,rep.warnings)
const [hs]=await r.search('beavers'); console.log('stale?',hs?.stale,hs?.file, hs && await r.resolve(hs.chunkId)===hs.quote)
rep=await r.sync(); console.log('again',rep.indexed,rep.skipped,rep.warnings)
{
 const m=scriptedModel([{toolCalls:[{name:'search_files',input:{query:'beavers'}}]},{toolCalls:[{name:'read_file',input:{file:'b.pdf'}}]},{toolCalls:[{name:'list_files',input:{}}]},'x'])
 const a=new Agent({name:'x',functions:[],model:m,retriever:r}); const res=await a.stream('q').result
 console.log('sources',res.sources.map(s=>[s.file,s.page,s.stale,s.score])); for(const q of res.messages.filter(m=>m.role==='tool')) console.log(q.name,'>>',q.content); await a.close()
 console.log('knowledge open after agent.close?', (await r.files()).length)
}
{ // only read_file
 const m=scriptedModel([{toolCalls:[{name:'read_file',input:{file:'b.pdf'}}]},'x'])
 const a=new Agent({name:'x',functions:[],model:m,retriever:r}); const res=await a.stream('q').result
 console.log('read_file only sources',res.sources.map(s=>[s.file,s.page,s.stale])); await a.close()
}
// too large / empty / removed
w('a.md',''); rep=await r.sync(); console.log('emptied',rep.indexed,rep.removed,rep.skipped.map(x=>x.file),(await r.search('aardvark')).map(x=>[x.file,x.stale]))
fs.rmSync('f/a.md'); rep=await r.sync(); console.log('removed',rep.removed,(await r.search('aardvark')).length,await r.files())
w('b.pdf',makePdf([{lines:['The badger is back again.']}])); rep=await r.sync(); console.log('readable again',rep.indexed,rep.skipped,(await r.search('badger')).map(x=>[x.quote,x.stale]))
// search options
const q=async(o:any,query='dingo emu badger')=>{try{return (await r.search(query,o)).map(x=>x.file)}catch(e:any){return e.code+': '+e.message}}
for (const o of [{},{limit:1},{limit:0},{limit:-1},{limit:1.5},{limit:'3'},{limit:1001},{limit:Infinity},{limit:NaN},{limit:null},{limit:undefined},{paths:['c/']},{paths:['c']},{paths:['./c/']},{paths:['/c/']},{paths:['c/e.MD']},{paths:['cc/','b.pdf']},{paths:[]},{paths:['nope']},{paths:undefined},{paths:'c/'},{paths:[3]},{paths:["x' OR '1'='1"]},{paths:['%']},{paths:['c/_.MD']},{exts:['md']},{exts:['.MD']},{exts:['pdf','.txt']},{exts:[]},{exts:['xls']},{exts:'md'},{exts:[3]},{exts:['md'],paths:['c/']},{foo:1}]) console.log(JSON.stringify(o),await q(o))
for (const s of ['',' ','???','a','"dingo','dingo AND','(*)','dingo\0','x'.repeat(100000),"'; drop",'the','🦊','dingoo','DINGO','ding']) console.log(JSON.stringify(s.slice(0,20)),await q({},s))
console.log(await q({},3 as any), await q({},undefined as any), await q({signal:AbortSignal.abort()},'dingo'))
await r.close(); await r.close()
for (const f of ['sync','search','resolve','files','records','read','verify','tidied'] as const) try { await (r as any)[f]('x'); console.log(f,'no error after close') } catch(e:any) { console.log(f,e.code) }
console.log(process.getActiveResourcesInfo())
