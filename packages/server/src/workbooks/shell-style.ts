/** The style of the shell: unobtrusive, so that the workbook stands out. */
export const SHELL_STYLE = `
:root{--ink:#1d2129;--soft:#5b6472;--line:#d9dde4;--ground:#f3f4f7;--card:#fff;--accent:#2952c8;--on-accent:#fff;--warn:#7a4b00;--warn-ground:#fff4dc;--focus:#2952c8}
@media (prefers-color-scheme:dark){:root{--ink:#e8eaee;--soft:#a3abb8;--line:#363c47;--ground:#15181d;--card:#1f242c;--accent:#8fb0ff;--on-accent:#10131a;--warn:#ffd48a;--warn-ground:#3a2c10;--focus:#8fb0ff}}
*{box-sizing:border-box}
[hidden]{display:none!important}
html,body{height:100%;margin:0}
body{display:flex;flex-direction:column;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--ground)}
.bar{display:flex;align-items:center;gap:.75rem;min-height:44px;padding:.25rem .75rem;background:var(--card);border-bottom:1px solid var(--line);flex:none}
.mark{font-weight:700;letter-spacing:.02em;color:var(--accent)}
.bar h1{font-size:.95rem;font-weight:600;margin:0;flex:1;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
#chips{display:flex;gap:.35rem;list-style:none;margin:0;padding:0}
#chips li{font-size:.78rem;padding:.1rem .55rem;border:1px solid var(--line);border-radius:1rem;color:var(--soft);white-space:nowrap}
#stage{flex:1;min-height:0;display:flex;flex-direction:column;overflow:auto}
#stage iframe{flex:1;width:100%;border:0;background:#fff}
#status{margin:auto;padding:2rem;max-width:36rem;color:var(--soft);text-align:center}
#status:empty{display:none}
.card{background:var(--card);color:var(--ink);border:1px solid var(--line);border-radius:14px;box-shadow:0 8px 30px rgb(0 0 0/.10);padding:1.5rem 1.75rem;width:min(40rem,calc(100% - 1.5rem));margin:1.5rem auto}
dialog.card{margin:auto}
dialog::backdrop{background:rgb(10 12 16/.55)}
.card h2{font-size:1.3rem;line-height:1.3;margin:0 0 .5rem;overflow-wrap:anywhere}
.card h2:focus{outline:none}
.card p{margin:.5rem 0}
.about,.hint,.hash{color:var(--soft);font-size:.85rem}
.hash code{overflow-wrap:anywhere}
fieldset{border:0;margin:1rem 0 0;padding:0;min-width:0}
legend{font-weight:600;padding:0;margin-bottom:.25rem}
.ask{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;padding:.75rem 0;border-top:1px solid var(--line)}
.ask input{width:1.15rem;height:1.15rem;margin:.2rem 0 0;accent-color:var(--accent)}
.ask label{font-weight:600}
.ask p{grid-column:2;margin:0}
.ask .reason{color:var(--soft);overflow-wrap:anywhere}
.warning{color:var(--warn);background:var(--warn-ground);border-radius:8px;padding:.6rem .8rem}
.buttons{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:1.25rem}
button{font:inherit;padding:.5rem 1.1rem;border-radius:8px;border:1px solid var(--line);background:var(--card);color:var(--ink);cursor:pointer}
.bar button{padding:.2rem .7rem;font-size:.85rem}
button.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent);font-weight:600;min-width:6rem}
button:disabled{opacity:.45;cursor:default}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
input[type=password]{display:block;width:100%;font:inherit;padding:.5rem;margin-top:.25rem;border:1px solid var(--line);border-radius:8px;background:var(--ground);color:var(--ink)}
#granted-list{padding-left:1.2rem}
@media (max-width:30rem){#chips{display:none}.card{margin:1rem auto;padding:1.1rem 1.2rem}}
`;
