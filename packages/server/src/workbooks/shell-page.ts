/** The page around a workbook: what the user sees of the host. Its script is built from `shell/`. */
import { shellHeaders } from './frame-policy.ts';
import { policyHash } from './policy-hash.ts';
import { SHELL_STYLE } from './shell-style.ts';

const BODY = `
<header class="bar">
  <span class="mark" aria-hidden="true">woof</span>
  <h1 id="title">Workbook</h1>
  <ul id="chips" aria-label="Granted to this workbook"></ul>
  <button id="details" type="button" hidden>Permissions</button>
</header>
<main id="stage">
  <p id="status" role="status">Opening…</p>
  <section id="prompt" class="card" aria-labelledby="ask" hidden>
    <p class="about" id="about"></p>
    <h2 id="ask" tabindex="-1"></h2>
    <p id="boxed"></p>
    <p id="warning" class="warning" role="note" hidden></p>
    <fieldset id="asked"><legend id="legend"></legend></fieldset>
    <p id="together" class="warning" role="note" hidden></p>
    <div class="buttons">
      <button id="run" type="button" class="primary" disabled>Run</button>
      <button id="leave" type="button">Do not run</button>
    </div>
    <p class="hint">Clear the permissions that it should not have. You can revoke them later under <i>Permissions</i> in the bar above.</p>
  </section>
  <form id="sign-in" class="card" hidden>
    <h2>Sign in</h2>
    <label for="token">Token for this server</label>
    <input id="token" type="password" autocomplete="off" placeholder="woof_…" required>
    <div class="buttons"><button class="primary">Continue</button></div>
  </form>
</main>
<dialog id="granted" class="card" aria-labelledby="granted-title">
  <h2 id="granted-title">What this workbook may do</h2>
  <ul id="granted-list"></ul>
  <p class="hash">sha256 <code id="hash"></code></p>
  <div class="buttons">
    <button id="revoke" type="button">Revoke and stop</button>
    <button id="close" type="button" class="primary">Close</button>
  </div>
</dialog>
<dialog id="save" class="card" aria-labelledby="save-title">
  <h2 id="save-title">Save a copy?</h2>
  <p id="save-what"></p>
  <div class="buttons">
    <button id="save-yes" type="button" class="primary">Save</button>
    <button id="save-no" type="button">Do not save</button>
  </div>
</dialog>`;

/** `script` is the built text of `shell/shell.ts`. */
export function shellPage(script: string, frames: readonly string[]) {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Workbook</title>
<style>${SHELL_STYLE}</style>
</head>
<body>${BODY}
<script>${script}</script>
</body>
</html>
`;
  const headers = shellHeaders({
    scriptHash: policyHash(script),
    styleHash: policyHash(SHELL_STYLE),
    frames,
  });
  return { html, headers };
}
