import { createRetriever } from '@agentkit/retriever'
import { countingEmbedder } from '../retriever/src/__fixtures__/counting-embedder.ts'
import { fakePinecone } from '../retriever/src/__fixtures__/fake-pinecone.ts'
import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
const d = fs.mkdtempSync(path.join(os.tmpdir(),'ju-')); process.chdir(d)
delete process.env.PINECONE_API_KEY
fs.mkdirSync('f'); const w=(n:string,b:any)=>fs.writeFileSync('f/'+n,b)
for(let i=0;i<20;i++) w(`d${i}.md`,`# Doc ${i}\n\nThe gibbon number${i} swings.\n\n## B\nMore on thing${i}.`)
const fake=await fakePinecone(); const dim=16
fake.add({name:'docs',dimension:dim} as any)
const e=countingEmbedder('acme/one',{dimensions:dim})
const access={apiKey:fake.apiKey,controllerHostUrl:fake.url,indexName:'docs'}
const S='cloudindex-serverless' as const,P='cloudindex-pod' as const
let k=0
const attempt=async(l:string,o:any,then?:(r:any)=>any)=>{ let r:any; const t=performance.now(); try{ r=createRetriever({folder:'f',indexPath:'ix'+k++,embedder:e,...o}); const x=await r.sync(); console.log(l,'OK',x.mode,x.indexed,x.chunks,x.skipped.length,x.warnings); await then?.(r)}catch(x:any){console.log(l,x.name,x.code,x.message, JSON.stringify(x).includes(fake.apiKey)||String(x.stack).includes(fake.apiKey)||String(x.cause?.message).includes(fake.apiKey)?'KEY LEAKED':'')} finally{await r?.close(); console.log('   ',Math.round(performance.now()-t),'ms')} }
await attempt('serverless',{retrievalTool:S,cloud:access},async r=>{ console.log((await r.search('number7')).slice(0,2).map((h:any)=>[h.file,h.score])); console.log(await r.verify()); w('d1.md','# New\nThe capuchin jumps.'); fs.rmSync('f/d2.md'); fs.renameSync('f/d3.md','f/z3.md'); const n=e.texts.length; const x=await r.sync(); console.log(x.indexed,x.removed,x.unchanged,'embedded',e.texts.length-n); console.log([...fake.indexes.get('docs')!.namespaces.entries()].map(([k,v])=>[k,v.size]),await r.verify(), x.chunks)
 fake.fail({of:'query',times:100,status:503,body:'nope'}); try{console.log('query 503:',(await r.search('capuchin')).length)}catch(x:any){console.log('q503',x.code,x.message)}; fake.recover()
 fake.fail({of:'upsert',times:2,status:429,body:'slow'}); w('d5.md','# Five\nThe macaque sits.'); console.log('429',(await r.sync()).indexed,(await r.search('macaque')).length)
 fake.fail({of:'upsert',times:1000,status:500,body:'bad '+fake.apiKey}); w('d6.md','# Six\nThe tamarin sits.'); try{console.log('500',(await r.sync()).indexed)}catch(x:any){console.log('500',x.code,x.message)}; console.log('old still', (await r.search('number6')).length, (await r.search('tamarin')).length); fake.recover(); console.log('after',(await r.sync()).indexed,(await r.search('tamarin')).length)
 fake.fail({times:1000,reset:true}); try{console.log('reset search',(await r.search('tamarin')).length)}catch(x:any){console.log('reset search',x.code,x.message)}; fake.recover(); })
await attempt('wrong key',{retrievalTool:S,cloud:{...access,apiKey:'pcsk_wrong_SECRETSECRET1234567890'}})
await attempt('missing index',{retrievalTool:S,cloud:{...access,indexName:'nope'}})
await attempt('pod missing index',{retrievalTool:P,cloud:{...access,indexName:'nope'}})
await attempt('pod create',{retrievalTool:P,cloud:{...access,indexName:'newpod',create:true}})
await attempt('pod existing serverless index',{retrievalTool:P,cloud:access})
fake.add({name:'pods',dimension:dim,kind:'pod',pod:true,podType:'p1.x1'} as any); console.log(JSON.stringify(fake.indexes.get('pods')).slice(0,300))
await attempt('pod existing',{retrievalTool:P,cloud:{...access,indexName:'pods'}},async r=>console.log((await r.search('number7')).length))
await attempt('serverless on pod index',{retrievalTool:S,cloud:{...access,indexName:'pods'}})
await attempt('serverless create',{retrievalTool:S,cloud:{...access,indexName:'fresh',create:true}},async r=>console.log((await r.search('number7')).length))
await attempt('no embedder',{retrievalTool:S,embedder:undefined,cloud:access})
await attempt('no key',{retrievalTool:S,cloud:{...access,apiKey:undefined}})
await attempt('empty key',{retrievalTool:S,cloud:{...access,apiKey:''}})
await attempt('wrong dim index',{retrievalTool:S,embedder:countingEmbedder('acme/w',{dimensions:8}),cloud:access})
await attempt('wrong dim unknown',{retrievalTool:S,embedder:countingEmbedder('acme/w2',{makes:8} as any),cloud:access})
await attempt('bad index name',{retrievalTool:S,cloud:{...access,indexName:'Bad Name!',create:true}})
await attempt('bad region',{retrievalTool:S,cloud:{...access,indexName:'fresh2',create:true,region:'mars-1',cloud:'ibm'}})
await attempt('s3 indexPath',{retrievalTool:S,indexPath:'s3://b/x',cloud:access})
await attempt('controller down',{retrievalTool:S,cloud:{...access,controllerHostUrl:'http://127.0.0.1:9'}})
await attempt('key with newline',{retrievalTool:S,cloud:{...access,apiKey:fake.apiKey+'\n'}})
fake.add({name:'cosine',dimension:dim,metric:'euclidean'} as any); await attempt('euclidean',{retrievalTool:S,cloud:{...access,indexName:'cosine'}},async r=>console.log((await r.search('number7')).map((h:any)=>h.score).slice(0,2)))
await fake.close(); console.log(process.getActiveResourcesInfo())
