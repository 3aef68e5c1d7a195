/** A page to read and try the calls, from /openapi.json. It loads nothing from elsewhere. */
import { createHash } from 'node:crypto';

const STYLE = `
:root{color-scheme:light dark}a{color:light-dark(#a8470f,#f0a063)}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:light-dark(#26231f,#ece7de);background:light-dark(#fdfcfa,#171614)}
summary{cursor:pointer;padding:.3rem 0}code,textarea,input,pre{font:13px/1.4 ui-monospace,monospace}
pre,textarea{background:light-dark(#f5f2ec,#211f1c);border:1px solid light-dark(#e4dfd6,#38352f);padding:.5rem;width:100%;box-sizing:border-box;overflow:auto}
.method{display:inline-block;width:4.5rem;font-weight:600}.role{color:light-dark(#665f56,#a9a196)}label{display:block;margin:.3rem 0}
input{padding:.2rem;width:20rem;max-width:100%}h2{margin-top:2rem;text-transform:capitalize}`;

const SCRIPT = `
const make=(tag,props={},...inside)=>{const e=Object.assign(document.createElement(tag),props);e.append(...inside);return e};
const token=document.querySelector('#token');
token.value=sessionStorage.getItem('woof-token')??'';
token.onchange=()=>sessionStorage.setItem('woof-token',token.value);
fetch('/openapi.json').then(r=>r.json()).then(doc=>{
  const groups={};
  for(const [path,methods] of Object.entries(doc.paths))
    for(const [method,call] of Object.entries(methods))(groups[call.tags[0]]??=[]).push({path,method,call});
  for(const [tag,calls] of Object.entries(groups))
    document.querySelector('main').append(make('h2',{textContent:tag}),...calls.map(show));
});
function show({path,method,call}){
  const inputs=call.parameters.map(p=>({...p,field:make('input',{placeholder:p.schema.description??p.schema.type??''})}));
  const schema=call.requestBody?.content['application/json']?.schema;
  const body=schema&&make('textarea',{rows:6,value:'{}'});
  const answer=make('pre',{hidden:true});
  const send=make('button',{textContent:'Send'});
  send.onclick=async()=>{
    let url=path;const query=new URLSearchParams();const headers={};
    if(token.value)headers.authorization='Bearer '+token.value;
    for(const {in:place,name,field} of inputs){
      if(field.value===''&&place!=='path')continue;
      if(place==='path')url=url.replace('{'+name+'}',encodeURIComponent(field.value));
      else if(place==='query')query.set(name,field.value);else headers[name]=field.value;
    }
    if(body)headers['content-type']='application/json';
    if(query.size)url+='?'+query;
    answer.hidden=false;answer.textContent='…';
    try{
      const r=await fetch(url,{method:method.toUpperCase(),headers,body:body?.value});
      const text=await r.text();
      let shown=text;try{const v=JSON.parse(text);if(JSON.stringify(v)===text)shown=JSON.stringify(v,null,2)}catch{}
      answer.textContent=r.status+' '+r.statusText+'\\n\\n'+shown;
    }catch(e){answer.textContent=String(e)}
  };
  return make('details',{},
    make('summary',{},make('span',{className:'method',textContent:method.toUpperCase()}),make('code',{textContent:path}),
      ' ',call.summary,' ',make('span',{className:'role',textContent:call['x-woof-role']??''})),
    ...inputs.map(p=>make('label',{},make('code',{textContent:p.name+' '}),p.field)),
    ...(body?[make('pre',{textContent:JSON.stringify(schema,null,1)}),body]:[]),send,answer);
}`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export const apiPage = {
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Woof: the HTTP API</title><style>${STYLE}</style>
<p><a href="/docs/">Documentation</a></p><h1>The HTTP API of this server</h1><label>Token <input id="token" type="password" placeholder="woof_…"></label>
<main></main><script>${SCRIPT}</script></html>`,
  policy: `default-src 'none'; connect-src 'self'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
