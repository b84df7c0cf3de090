// An application behind a proxy, which shows the user that it was told about.

import { createServer } from 'node:http';
import type { Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { textAt } from './login-browser.ts';

/** Starts the application; returns its port. */
export async function startApplication(): Promise<number> {
  const port = await freePort();
  const server = createServer(({ headers, url }, reply) => {
    // Without a user, the headers are empty or missing.
    const { 'remote-user': name = '', 'remote-groups': groups = '', 'remote-email': mail = '' } = headers;
    reply.setHeader('Content-Type', 'application/json');
    reply.end(JSON.stringify({ url, name, groups, mail }));
  }).listen(port, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

/** Waits until the browser shows the application at a host, and returns what that was told. */
export async function shown(page: Page, host: string): Promise<unknown> {
  return JSON.parse(await textAt(page, host, '{'));
}
