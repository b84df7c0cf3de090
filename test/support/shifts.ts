// How much a page moves by itself (https://wicg.github.io/layout-instability/).

import type { Page } from 'puppeteer-core';

/** Watches a page from its next document on. Returns a function that says how much has moved there. Firefox does not tell. */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluateOnNewDocument(() => {
    Object.assign(window, { shift: 0 });
    // The DOM library types it only as `PerformanceEntry`.
    type Shift = PerformanceEntry & { readonly value: number };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, { shift: Object(window).shift + (entry as Shift).value });
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return () => page.evaluate(() => Object(window).shift);
}
