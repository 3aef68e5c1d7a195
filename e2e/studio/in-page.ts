/** What tests do and look for inside a page of Studio. */
import type { Page } from 'playwright-core';

/** Waits until everything that the page requested has arrived. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('.skeleton') === null);
}

/** What a browser tells a page when its tab is behind another, or in front again. */
export async function bringBehind(page: Page, isBehind: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isBehind);
}

const MOST_TABS = 300;

/** Moves the focus with Tab until it is on the element with this name. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let count = 0; count < MOST_TABS; count++) {
    await page.keyboard.press('Tab');
    const called = await page.evaluate(() => {
      const focused = document.activeElement as HTMLInputElement | null;
      if (focused === document.body) return undefined;
      const labels = [...(focused?.labels ?? [])].map((label) => label.textContent);
      return [
        focused?.getAttribute('aria-label'),
        ...labels,
        focused?.textContent,
        focused?.getAttribute('placeholder'),
      ]
        .find((text) => text?.trim())
        ?.trim();
    });
    if (called !== undefined && name.test(called)) return;
  }
  throw new Error(`Tab never came to ${String(name)}`);
}
