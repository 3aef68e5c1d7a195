const make = (tag, props = {}, ...inside) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...inside);
  return e;
};
const token = document.querySelector('#token');
token.value = sessionStorage.getItem('woof-token') ?? '';
token.onchange = () => sessionStorage.setItem('woof-token', token.value);
void fetch('/openapi.json')
  .then((r) => r.json())
  .then((doc) => {
    const groups = {};
    for (const [path, methods] of Object.entries(doc.paths))
      for (const [method, call] of Object.entries(methods))
        groups[call.tags[0]] = [...(groups[call.tags[0]] ?? []), { path, method, call }];
    for (const [tag, calls] of Object.entries(groups))
      document.querySelector('main').append(make('h2', { textContent: tag }), ...calls.map(show));
  });
function show({ path, method, call }) {
  const inputs = call.parameters.map((p) => ({
    ...p,
    field: make('input', { placeholder: p.schema.description ?? p.schema.type ?? '' }),
  }));
  const schema = call.requestBody?.content['application/json']?.schema;
  const body = schema && make('textarea', { rows: 6, value: '{}' });
  const answer = make('pre', { hidden: true });
  const send = make('button', { textContent: 'Send' });
  send.onclick = async () => {
    let url = path;
    const query = new URLSearchParams();
    const headers = {};
    if (token.value) headers.authorization = `Bearer ${token.value}`;
    for (const { in: place, name, field } of inputs) {
      if (field.value === '' && place !== 'path') continue;
      if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(field.value));
      else if (place === 'query') query.set(name, field.value);
      else headers[name] = field.value;
    }
    if (body) headers['content-type'] = 'application/json';
    if (query.size) url += `?${query}`;
    answer.hidden = false;
    answer.textContent = '…';
    try {
      const r = await fetch(url, { method: method.toUpperCase(), headers, body: body?.value });
      const text = await r.text();
      let shown = text;
      try {
        const v = JSON.parse(text);
        if (JSON.stringify(v) === text) shown = JSON.stringify(v, null, 2);
      } catch {}
      answer.textContent = `${r.status} ${r.statusText}\n\n${shown}`;
    } catch (e) {
      answer.textContent = String(e);
    }
  };
  return make(
    'details',
    {},
    make(
      'summary',
      {},
      make('span', { className: 'method', textContent: method.toUpperCase() }),
      make('code', { textContent: path }),
      ' ',
      call.summary,
      ' ',
      make('span', { className: 'role', textContent: call['x-woof-role'] ?? '' }),
    ),
    ...inputs.map((p) => make('label', {}, make('code', { textContent: `${p.name} ` }), p.field)),
    ...(body ? [make('pre', { textContent: JSON.stringify(schema, null, 1) }), body] : []),
    send,
    answer,
  );
}
