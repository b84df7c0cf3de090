// The moves that a task takes at the dashboard: clicks, keys, and texts that are typed or pasted in one go. What is waited for or only
// looked at counts nothing.

import type { Page } from 'puppeteer-core';
import { enter, seeText } from './dashboard.ts';

/** A person at a page whose moves are counted. */
export interface Mover {
  /** Clicks what has a role and a name. */
  click(role: string, name: string): Promise<void>;
  /** Clicks what a selector finds, where the name is that of several, or a time. */
  clickOn(selector: string): Promise<void>;
  /** Presses a key. */
  key(name: 'Enter' | 'Tab' | '/'): Promise<void>;
  /** Types or pastes a text into the field that has the focus. */
  type(text: string): Promise<void>;
  /** Pastes a text where the focus is, be it a field or not. */
  paste(text: string): Promise<void>;
  /** Waits until a text is there. */
  see(text: string): Promise<void>;
  /** Opens the search, types, waits for an entry that begins with a text, and takes it if it is the first. */
  find(text: string, entry: string): Promise<void>;
}

/** Counts the moves of a task that begins at the overview, once all of it is there: nothing moves then. */
export async function movesOf(page: Page, task: (mover: Mover) => Promise<void>): Promise<number> {
  let moves = 0;
  const key = async (name: 'Enter' | 'Tab' | '/') => {
    moves += 1;
    await page.keyboard.press(name);
  };
  const type = async (text: string) => {
    moves += 1;
    await page.waitForSelector(':is(input, textarea):focus');
    await enter(page, text);
  };
  await page.waitForSelector('main figure svg title');
  await page.waitForFunction(() => document.querySelector('[aria-label=Loading]') === null, { polling: 50 });
  await task({
    key,
    type,
    async paste(text) {
      moves += 1;
      await page.evaluate((pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', pasted);
        const event = { clipboardData, bubbles: true, cancelable: true };
        document.activeElement?.dispatchEvent(new ClipboardEvent('paste', event));
      }, text);
    },
    see: (text) => seeText(page, text),
    async click(role, name) {
      moves += 1;
      await page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
    },
    async clickOn(selector) {
      moves += 1;
      await page.locator(selector).click();
    },
    async find(text, entry) {
      await key('/');
      await type(text);
      await page.waitForFunction(
        (wanted) => document.querySelector('[role=option], [role=menuitem]')?.textContent?.startsWith(wanted),
        { polling: 50 },
        entry,
      );
      await key('Enter');
    },
  });
  return moves;
}
