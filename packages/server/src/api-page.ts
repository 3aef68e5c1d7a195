/** A page that shows the calls of /openapi.json and tries them out. It loads nothing from other servers. */
import SCRIPT from './api-page-script.js?raw';
import { policyHash } from './workbooks/policy-hash.ts';

const STYLE = `
:root{color-scheme:light dark}a{color:light-dark(#a8470f,#f0a063)}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:light-dark(#26231f,#ece7de);background:light-dark(#fdfcfa,#171614)}
summary{cursor:pointer;padding:.3rem 0}code,textarea,input,pre{font:13px/1.4 ui-monospace,monospace}
pre,textarea{background:light-dark(#f5f2ec,#211f1c);border:1px solid light-dark(#e4dfd6,#38352f);padding:.5rem;width:100%;box-sizing:border-box;overflow:auto}
.method{display:inline-block;width:4.5rem;font-weight:600}.role{color:light-dark(#665f56,#a9a196)}label{display:block;margin:.3rem 0}
input{padding:.2rem;width:20rem;max-width:100%}h2{margin-top:2rem;text-transform:capitalize}`;

export const apiPage = {
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Woof: the HTTP API</title><style>${STYLE}</style>
<p><a href="/docs/">Documentation</a></p><h1>The HTTP API of this server</h1><label>Token <input id="token" type="password" placeholder="woof_…"></label>
<main></main><script>${SCRIPT}</script></html>`,
  policy: `default-src 'none'; connect-src 'self'; style-src ${policyHash(STYLE)}; script-src ${policyHash(SCRIPT)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
