/*
 * Makes storage refuse, with a reason. The browser refuses it in any case where a frame has no origin.
 *
 * Workers begin with the same function: their code can come only from blobs, which are known by their addresses. The
 * browser offers no caches and files at all to a worker without an origin, so it gets some that refuse. Inside the function
 * there are no line comments, because a worker gets it in one line: errors then name the lines of the worker's author.
 */
function refuseStorage(scope, why) {
  const { defineProperty } = Object;
  const refuse = () => {
    throw new DOMException(why, 'SecurityError');
  };
  const refuseLater = async () => refuse();

  for (const name of ['localStorage', 'sessionStorage', 'caches'])
    if (name in scope) defineProperty(scope, name, { get: refuse, configurable: true });
  if (scope.document)
    defineProperty(scope.document, 'cookie', { get: refuse, set: refuse, configurable: true });
  const replace = (kind, value, ...names) => {
    for (const name of names)
      if (kind && name in kind.prototype)
        defineProperty(kind.prototype, name, { value, configurable: true, writable: true });
  };
  replace(scope.IDBFactory, refuse, 'open', 'deleteDatabase');
  replace(scope.IDBFactory, refuseLater, 'databases');
  replace(scope.StorageManager, refuseLater, 'getDirectory', 'estimate', 'persist', 'persisted');
  const addIfMissing = (to, name, ...calls) => {
    const value = Object.fromEntries(calls.map((call) => [call, refuseLater]));
    if (!(name in to)) defineProperty(to, name, { value, configurable: true });
  };
  addIfMissing(scope, 'caches', 'open', 'match', 'has', 'keys', 'delete');
  addIfMissing(scope.navigator, 'storage', 'getDirectory', 'estimate', 'persist', 'persisted');

  const { URL, Blob, Worker } = scope;
  const make = URL.createObjectURL.bind(URL);
  const revoke = URL.revokeObjectURL.bind(URL);
  const blobs = new Map();
  const begun = new Map();
  const first = `(${String(refuseStorage).replaceAll('\n', ' ')})(self, ${JSON.stringify(why)});`;
  const begin = (url) => {
    const blob = blobs.get(url);
    if (blob && !begun.has(url)) begun.set(url, make(new Blob([first, blob], { type: blob.type })));
    return begun.get(url) ?? url;
  };
  URL.createObjectURL = (made) => {
    const url = make(made);
    if (made instanceof Blob) blobs.set(url, made);
    return url;
  };
  URL.revokeObjectURL = (url) => {
    revoke(url);
    if (begun.has(url)) revoke(begun.get(url));
    blobs.delete(url);
    begun.delete(url);
  };
  if (Worker) {
    const construct = (kind, [url, ...rest], as) => Reflect.construct(kind, [begin(`${url}`), ...rest], as);
    scope.Worker = new Proxy(Worker, { construct });
  }
}
