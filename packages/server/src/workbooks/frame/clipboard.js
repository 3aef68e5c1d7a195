/*
 * Gives `navigator.clipboard` its calls: `refusal` is why they refuse, or undefined if the page around the frame carries
 * them out. A document without an origin cannot ask the browser for permission; that page checks the grant and the click or
 * key press. It passes on text only.
 */
function setClipboard(message, refusal) {
  const TEXT = 'text/plain';
  const { defineProperty, entries } = Object;
  const around = parent;
  const Channel = MessageChannel;
  const ask = (call, ...args) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new Channel();
      port1.onmessage = ({ data }) => {
        port1.close();
        if (data.ok) resolve(data.value);
        else reject(new DOMException(data.error.message, 'NotAllowedError'));
      };
      around.postMessage({ type: message, call, args }, '*', [port2]);
    });
  const refuse = async () => {
    throw new DOMException(refusal, 'NotAllowedError');
  };
  const refused = { readText: refuse, writeText: refuse, read: refuse, write: refuse };
  const asked = {
    readText: () => ask('clipboard.read'),
    writeText: (text) => ask('clipboard.write', `${text}`),
    read: async () => [
      new ClipboardItem({ [TEXT]: new Blob([await ask('clipboard.read')], { type: TEXT }) }),
    ],
    write: async (items) => {
      const item = [...items].find(({ types }) => types.includes(TEXT));
      if (!item) throw new DOMException('a workbook can copy only text', 'NotAllowedError');
      return ask('clipboard.write', await (await item.getType(TEXT)).text());
    },
  };
  const calls = refusal === undefined ? asked : refused;
  if (!navigator.clipboard) {
    defineProperty(navigator, 'clipboard', { value: { ...calls }, configurable: true });
    return;
  }
  for (const [name, value] of entries(calls))
    defineProperty(navigator.clipboard, name, { value, configurable: true, writable: true });
}
