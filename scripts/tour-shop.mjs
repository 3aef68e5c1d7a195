// The other half of the tour (npm start -- playbook): examples/tour.yaml with a shop served here on loopback.
import { createServer } from 'node:http';

const PAGES = 4;

/** Calls `visit` with the shop's address. Every seventh request finds the shop busy, so that retries happen. */
export async function withShop(visit) {
  let requests = 0;
  const shop = createServer((request, response) => {
    const url = new URL(request.url, 'http://shop');
    const page = Number(url.searchParams.get('page'));
    requests += 1;
    const busy = requests % 7 === 0;
    const orders = [1, 2, 3].map((n) => ({ amount: (url.pathname.length * 7 + page * 5 + n * 3) % 50 }));
    setTimeout(() => {
      response.writeHead(busy ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(busy ? { error: 'busy' } : { orders, has_more: page < PAGES }));
    }, 80);
  });
  await new Promise((resolve) => shop.listen(0, '127.0.0.1', resolve));
  try {
    return await visit(`http://127.0.0.1:${shop.address().port}`);
  } finally {
    shop.close();
    shop.closeAllConnections();
  }
}
