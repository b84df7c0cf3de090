// Chromium for whole logins; it can resolve only the hosts of a test.

import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { chromium } from '../support/browser.ts';
import { user } from './simplesamlphp.ts';

/**
 * Starts a browser that accepts any certificate.
 *
 * @param ports the port of each host on this machine
 */
export async function launchBrowser(ports: Readonly<Record<string, number>>): Promise<Browser> {
  const rules = Object.entries(ports).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
  const browser = await puppeteer.launch({
    executablePath: chromium ?? '',
    acceptInsecureCerts: true,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=${[...rules, 'MAP * ~NOTFOUND'].join(', ')}`,
    ],
  });
  onTestFinished(() => browser.close());
  return browser;
}

/** Waits until the browser has been redirected to the form of SimpleSAMLphp, and fills it in. */
export async function enterPassword(page: Page): Promise<void> {
  await page.waitForFunction(`document.readyState === 'complete' && !!document.querySelector('#password')`);
  await page.type('#username', user.name);
  await page.type('#password', user.password);
  await page.keyboard.press('Enter');
}

/** Waits until the browser shows a text at a host, and returns all text of the page. */
export async function textAt(page: Page, host: string, text: string): Promise<string> {
  const place = `location.host === ${JSON.stringify(host)}`;
  await page.waitForFunction(`${place} && !!document.body?.innerText.includes(${JSON.stringify(text)})`);
  return String(await page.evaluate('document.body.innerText')).trim();
}
