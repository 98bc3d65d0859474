import { createRetriever } from '@agentkit/retriever'
import { Agent } from 'agentkit'
import { scriptedModel } from '@agentkit/testing'
import { makePdf } from '../retriever/src/__fixtures__/make-pdf.ts'
import { countingEmbedder } from '../retriever/src/__fixtures__/counting-embedder.ts'
import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
const d = fs.mkdtempSync(path.join(os.tmpdir(),'ju-')); process.chdir(d)
fs.mkdirSync('f'); for(let i=0;i<40;i++) fs.writeFileSync(`f/${i}.md`,`# D${i}\n`+'gibbon text '.repeat(200)+i); fs.writeFileSync('f/p.pdf',makePdf([{lines:['Hello gibbon pdf']}]))
const [tool,what]=process.argv.slice(2) as any
process.on('exit',()=>console.log('exited after',Math.round(performance.now()-T),'ms'))
let T=performance.now()
if(what==='agent-noclose'){ const a=new Agent({name:'x',functions:[],retrieve:true,retrievalTool:tool,retriever:{folder:'f',indexPath:'ix'},model:scriptedModel([{toolCalls:[{name:'search_files',input:{query:'gibbon'}}]},'ok'])}); console.log(await a.chat('q')); T=performance.now() }
else { const e=countingEmbedder('a/b',{dimensions:8}); const r=createRetriever({folder:'f',indexPath:'ix',retrievalTool:tool,...(what==='embed'&&{embedder:e})})
 if(what==='abort'){ const c=new AbortController(); setTimeout(()=>c.abort(),process.argv[4]?+process.argv[4]:50); const t=performance.now(); try{await r.sync({signal:c.signal});console.log('finished')}catch(x:any){console.log('abort',x.code,x.message,Math.round(performance.now()-t))} ; try{await r.sync({signal:AbortSignal.abort()})}catch(x:any){console.log(x.code)}; console.log((await r.sync()).chunks); await r.close() }
 else if(what==='closeduring'){ const p=r.sync().catch(x=>console.log('sync ended',x.code,x.message)); await new Promise(z=>setTimeout(z,100)); const t=performance.now(); await r.close(); console.log('closed in',Math.round(performance.now()-t)); await p }
 else if(what==='hang'){ const r2=createRetriever({folder:'f',indexPath:'ix3',retrievalTool:tool,embedder:{id:'h/h',dimensions:8,embed:()=>new Promise(()=>{})} as any}); const t=performance.now(); r2.sync({signal:AbortSignal.timeout(1500)}).catch(x=>console.log('hang abort',x.code,x.message,Math.round(performance.now()-t))); const p=r2.sync().catch(x=>console.log('second',x.code)); await new Promise(z=>setTimeout(z,3000)); await r2.close(); await p; await r.close()}
 else { await r.sync(); console.log((await r.search('gibbon')).length); if(what!=='noclose') await r.close(); else T=performance.now() }
}
T=performance.now()
